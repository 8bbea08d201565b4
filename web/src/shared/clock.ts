/** The only place where components read the clock; rules take the time as an argument. */
export const now = () => new Date();
