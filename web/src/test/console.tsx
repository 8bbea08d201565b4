import { QueryClientProvider } from '@tanstack/react-query';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { ReactElement } from 'react';
import { expect } from 'vitest';
import { setToken } from '@/api/token';
import { profileQuery, queryClient } from '@/app/session';
import { renderScreen } from './render';

/** The lists and dialogs of the console, and what people do with them. */

/** Renders a screen for somebody with these roles, an operator unless told. Screens read anew with the client of the application. */
export function renderConsole(ui: ReactElement, { address = '/', roles = ['SysAdmin'] }: { address?: string; roles?: string[] } = {}) {
  setToken({ accessToken: 't', expiresIn: 900 });
  queryClient.clear();
  queryClient.setDefaultOptions({ queries: { ...queryClient.getDefaultOptions().queries, retry: false } });
  queryClient.setQueryData<object>(profileQuery.queryKey, { userId: 'u', roles, organizations: [] });
  return renderScreen(<QueryClientProvider client={queryClient}>{ui}</QueryClientProvider>, address);
}

/** The name of a field, with the star of those that are required. */
const named = (name: string) => new RegExp(`^${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}( \\*)?$`);

export const dialog = (name: string) => screen.findByRole('dialog', { name });
export const shows = (text: string | RegExp) => screen.findByText(text);
// What can be seen is not looked into for each element: it takes longer than all the rest.
const hidden = true;
export const textbox = (where: HTMLElement, name: string) => within(where).getByRole('textbox', { name: named(name), hidden });

/** Presses a button once it can be. */
export async function press(where: HTMLElement, name: string | RegExp) {
  const button = await within(where).findByRole('button', { name, hidden });
  await waitFor(() => expect(button).toBeEnabled());
  fireEvent.click(button);
}
export const write = (where: HTMLElement, field: string, text: string) =>
  fireEvent.change(textbox(where, field), { target: { value: text } });
/** Types entries into a field of several. */
export async function tag(where: HTMLElement, field: string, ...entries: string[]) {
  const input = within(where)
    .getAllByLabelText(field)
    .find((e) => e.matches('input'))!;
  await userEvent.type(input, entries.map((entry) => `${entry},`).join(''));
}

/** Opens the menu of a row; returns its items. */
export async function menuOf(row: string) {
  const button = await screen.findByRole('button', { name: `Actions for ${row}`, hidden });
  if (button.getAttribute('aria-expanded') !== 'true') fireEvent.click(button);
  return (await screen.findAllByRole('menuitem', { hidden })).map((item) => item.textContent);
}
export async function fromMenu(row: string, item: string) {
  await menuOf(row);
  fireEvent.click(screen.getByRole('menuitem', { name: item, hidden }));
}
export function pick(where: HTMLElement, field: string, option: string) {
  const input = within(where).getByRole('combobox', { name: named(field), hidden });
  fireEvent.click(input);
  const list = document.getElementById(input.getAttribute('aria-controls')!)!;
  fireEvent.click(within(list).getByRole('option', { name: option, hidden }));
}
