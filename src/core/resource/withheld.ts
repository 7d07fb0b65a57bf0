/** The records that a value is about: of the type's resource, or of the one that the data names. */
export interface DescribesRecordsOf {
  /** The field with the type. */
  readonly type: string;
  /** The field with the data. */
  readonly data: string;
  /** The member of an object that is shown to everybody. */
  readonly keeps?: string;
  readonly sent: Readonly<Record<string, { readonly resource?: string; readonly member?: string }>>;
}

/** The rows whose value is withheld: of a type, or of a type and a resource that the data names. */
export interface Withheld {
  readonly type: string;
  readonly data: string;
  readonly keeps?: string;
  readonly cases: readonly { readonly type: string; readonly member?: string; readonly resources: readonly string[] }[];
}
