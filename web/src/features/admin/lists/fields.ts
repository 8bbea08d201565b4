import { checkboxField } from '@/shared/form/fields';

export const at = (id: string) => ({ params: { path: { id } } });

/** Hint of an entry that is no longer offered. */
export const retiredField = (who: string) =>
  checkboxField('Retired', { description: `It is no longer offered. ${who} that have it keep it.` });

export const standing = ({ isRetired }: { isRetired: boolean }) => (isRetired ? 'Retired' : 'Offered');
