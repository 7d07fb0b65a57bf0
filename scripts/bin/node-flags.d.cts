declare const flags: readonly string[];
export = flags;
