/** Replaces Date by one whose present is what `now` returns, in milliseconds since 1970; dates of given values stay as they are. */
exports.fixDate = now => {
  const Real = Date;
  Real.now = now;
  const Fixed = new Proxy(Real, {
    construct: (target, args, self) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, self === Fixed ? target : self),
    apply: () => new Real(now()).toString(),
  });
  globalThis.Date = Fixed;
};
