export type ReturnSearch = { returnUrl?: string };
/** Kept free of components: the route files are in the entry bundle. */
export const returnSearch = (raw: Record<string, unknown>): ReturnSearch => ({
  returnUrl: typeof raw.returnUrl === 'string' && raw.returnUrl ? raw.returnUrl : undefined,
});
