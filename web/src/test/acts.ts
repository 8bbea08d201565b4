import { fireEvent, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';

/** What a person does on a screen, in tests. A place is a dialog, a region or the whole page. */

type Name = string | RegExp;
const everywhere = () => document.body;
// Whether something can be seen is not looked into: it takes longer than all the rest.
const hidden = true;

/** The dialog of a name, once it is open. */
export const dialog = (name: Name) => screen.findByRole('dialog', { name });

export const press = async (name: Name, where = everywhere()) =>
  userEvent.click(await within(where).findByRole('button', { name, hidden }));

/** Fills a field in, and leaves it. */
export function fill(label: Name, text: string, where = everywhere()) {
  const field = within(where).getByRole('textbox', { name: label, hidden });
  fireEvent.change(field, { target: { value: text } });
  fireEvent.blur(field);
}

/** Chooses in a list whose options are known or, with words, searched. */
export async function choose(label: Name, option: Name, where = everywhere(), words?: string) {
  const field = within(where).getByRole('combobox', { name: label, hidden });
  await userEvent.click(field);
  if (words) fireEvent.change(field, { target: { value: words } });
  await userEvent.click(await screen.findByRole('option', { name: option, hidden }));
}

/** An act in the menu of a row. */
export async function act(row: string, item: Name) {
  await press(`Actions for ${row}`);
  await userEvent.click(await screen.findByRole('menuitem', { name: item, hidden }));
}
