import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect } from 'vitest';

/** Actions of a person on a screen, for tests. A place is a dialog, a region or the whole page. */

type Name = string | RegExp;
const everywhere = () => document.body;
// Visibility is not checked: that takes longer than all the rest.
const hidden = true;

/** The name of a field, with the star of those that are required. */
const labelled = (name: Name) => (typeof name === 'string' ? new RegExp(`^${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}( \\*)?$`) : name);

/** The dialog of a name, once it is open. */
export const dialog = (name: Name) => screen.findByRole('dialog', { name });
export const shows = (text: Name) => screen.findByText(text);
export const textbox = (label: Name, where = everywhere()) => within(where).getByRole('textbox', { name: labelled(label), hidden });

/** Presses a button once it can be. */
export async function press(name: Name, where = everywhere()) {
  const button = await within(where).findByRole('button', { name, hidden });
  await waitFor(() => expect(button).toBeEnabled());
  await userEvent.click(button);
}

/** Fills a field in, and leaves it. */
export function fill(label: Name, text: string, where = everywhere()) {
  const field = textbox(label, where);
  fireEvent.change(field, { target: { value: text } });
  fireEvent.blur(field);
}

/** Types entries into a field of several. */
export async function tag(label: string, entries: string[], where = everywhere()) {
  const input = within(where)
    .getAllByLabelText(label)
    .find((e) => e.matches('input'))!;
  await userEvent.type(input, entries.map((entry) => `${entry},`).join(''));
}

/** Chooses in a list whose options are known or, with words, searched. */
export async function choose(label: Name, option: Name, where = everywhere(), words?: string) {
  const field = within(where).getByRole('combobox', { name: labelled(label), hidden });
  await userEvent.click(field);
  if (words) fireEvent.change(field, { target: { value: words } });
  // Lists of other fields may have the same option; not every field names its list.
  const list = document.getElementById(field.getAttribute('aria-controls') ?? '') ?? everywhere();
  await userEvent.click(await within(list).findByRole('option', { name: option, hidden }));
}

/** The page sizes of the list. */
export const sizesOffered = () =>
  within(screen.getByRole('combobox', { name: 'Rows per page' }))
    .getAllByRole('option')
    .map((option) => option.textContent);

/** Opens the menu of a row; returns its items. */
export async function menuOf(row: string) {
  const button = await screen.findByRole('button', { name: `Actions for ${row}`, hidden });
  if (button.getAttribute('aria-expanded') !== 'true') await userEvent.click(button);
  return (await screen.findAllByRole('menuitem', { hidden })).map((item) => item.textContent);
}

/** An act in the menu of a row. */
export async function fromMenu(row: string, item: Name) {
  await menuOf(row);
  await userEvent.click(screen.getByRole('menuitem', { name: item, hidden }));
}
