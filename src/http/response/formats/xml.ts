import type { ResponseFormat } from '../formats.ts';
import { elementOf, encodeXml, envelopeElement, xmlFrame, xmlListing } from '../xml-text.ts';

const contentType = 'application/xml; charset=utf-8';

/** Pretty-printed XML 1.0. */
export const xml: ResponseFormat = {
  contentType,
  encode: body => encodeXml(elementOf(body)),
  listing: shape => {
    const [begin, after] = xmlFrame(shape, listing => listing);
    const { batch, end } = xmlListing(shape, false);
    return { begin, batch, end: () => end() + after };
  },
  envelope: {
    contentType,
    encode: (members, body) => encodeXml(envelopeElement(members, body && elementOf(body))),
    listing: shape => xmlListing(shape, true),
    around: (members, shape) => xmlFrame(shape, listing => envelopeElement(members, listing)),
  },
  script: null,
};
