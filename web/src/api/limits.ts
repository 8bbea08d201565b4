/** The rules of the API for one field. Lengths count characters of the trimmed text; a pattern describes all of it. */
export type Limit = {
  readonly required?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  /** A character class; other patterns are named. */
  readonly characters?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly (string | number)[];
  /** The server's message for an invalid value. */
  readonly message?: string;
};

/** The limits of a request body by field; see `limits.gen.ts`. */
export type Limits = Readonly<Record<string, Limit>>;
