/** The one reading of the clock in components; rules take the moment as an argument. */
export const now = () => new Date();
