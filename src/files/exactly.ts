import { pipeline, type Readable, Transform } from 'node:stream';
import { storageFailure } from './failure.ts';

/**
 * Returns a stream of the same bytes that fails unless there are as many.
 * So no part of a content is taken for all of it.
 */
export const exactly = (size: number, source: Readable): Readable => {
  let left = size;
  const wrong = () => storageFailure(new Error(`The storage has another number of bytes than ${size}.`));
  const counted = new Transform({
    transform(chunk: Buffer, _, done) {
      left -= chunk.length;
      if (left < 0) done(wrong());
      else done(null, chunk);
    },
    flush: done => done(left === 0 ? null : wrong()),
  });
  // An error destroys the stream, which its reader handles.
  return pipeline(
    source,
    counted.on('error', () => {}),
    () => {},
  );
};
