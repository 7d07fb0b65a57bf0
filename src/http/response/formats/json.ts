import type { Encodable } from '../../../core/call/reply.ts';
import { encodeRepresentation, encodeValue, jsonListing } from '../../../core/json/records.ts';
import { callbackFrame, encodeCallback, encodeEnvelope, envelopeFrame, escapeScript } from '../envelope.ts';
import type { EnvelopeFormat, ResponseFormat } from '../formats.ts';

const encode = (body: Encodable, depth: number): string | Buffer =>
  body.kind === 'rows' ? encodeRepresentation(body.representation, depth) : encodeValue(body.value, depth);

const contentType = 'application/json; charset=utf-8';

const envelope: EnvelopeFormat = {
  contentType,
  encode: (members, body) => encodeEnvelope(members, body ? encode(body, 1).toString() : 'null'),
  listing: jsonListing(1),
  around: envelopeFrame,
};

/** Pretty-printed JSON. */
export const json: ResponseFormat = {
  contentType,
  encode: body => encode(body, 0),
  listing: jsonListing(0),
  envelope,
  script: callback => ({
    contentType: 'application/javascript; charset=utf-8',
    encode: (members, body) => encodeCallback(callback, envelope.encode(members, body)),
    listing: shape => {
      const { batch, end } = envelope.listing(shape);
      return { batch: records => escapeScript(batch(records).toString()), end };
    },
    around: members => callbackFrame(callback, members),
  }),
};
