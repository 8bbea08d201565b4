export type ReturnSearch = { returnUrl?: string };
/** Kept free of components: the route files are in the entry bundle. */
export const returnSearch = (raw: Record<string, unknown>): ReturnSearch => ({
  returnUrl: typeof raw.returnUrl === 'string' && raw.returnUrl ? raw.returnUrl : undefined,
});

/** The release becomes a referral. */
export const newReleaseSearch = (raw: Record<string, unknown>): ReturnSearch & { referral?: boolean } => ({
  ...returnSearch(raw),
  referral: raw.referral === true || raw.referral === 'true' ? true : undefined,
});
