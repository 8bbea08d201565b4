import { fireEvent, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test } from 'vitest';
import { setToken } from '@/api/token';
import { answer } from '@/test/answers';
import { renderScreen } from '@/test/render';
import { SupportPage } from './SupportPage';

beforeEach(() => setToken({ accessToken: 't', expiresIn: 900 }));

test('somebody asks for support by area and severity, and sees how far it is (MSG-S-079, MSG-R-406, MSG-R-475, MSG-R-476)', async () => {
  const ticket = {
    id: 't1',
    area: 'Fax',
    severity: 2,
    subject: 'The line is busy',
    details: 'Every fax ends as busy.',
    state: 'Open',
    createdAt: '2026-11-20T10:00:00Z',
  };
  const areas = ['Billing', 'Fax', 'Intake'];
  answer('get', '/api/supporttickets/choices', { areas, isMailed: false } as never);
  let items: object[] = [];
  answer('get', '/api/supporttickets', () => ({ items, totalCount: items.length, totalIsCapped: false }) as never);
  const sent = answer('post', '/api/supporttickets', () => {
    items = [ticket];
    return ticket as never;
  });
  renderScreen(<SupportPage />);
  await userEvent.click(await screen.findByRole('button', { name: 'New ticket' }));
  const form = within(await screen.findByRole('dialog', { name: 'New support ticket' }));
  const choices = async (name: string) => {
    await userEvent.click(form.getByRole('combobox', { name }));
    return within(await screen.findByRole('listbox', { name })).getAllByRole('option');
  };
  // Exactly the server's values.
  const offered = await choices('Area');
  expect(offered.map((o) => o.textContent)).toEqual(areas);
  await userEvent.click(offered[1]!);
  const severities = await choices('Severity');
  expect(severities.map((o) => o.textContent)).toEqual([
    '1 – Not operational',
    '2 – Feature not working as expected',
    '3 – Enhancement request',
    '4 – Question',
  ]);
  await userEvent.click(severities[1]!);
  fireEvent.change(form.getByRole('textbox', { name: 'Subject' }), { target: { value: ticket.subject } });
  fireEvent.change(form.getByRole('textbox', { name: 'Details' }), { target: { value: ticket.details } });
  await userEvent.click(form.getByRole('button', { name: 'Send' }));
  expect(await screen.findByText('Your support ticket was sent.')).toBeInTheDocument();
  expect(sent.map((s) => s.body)).toEqual([{ area: 'Fax', severity: 2, subject: ticket.subject, details: ticket.details }]);
  expect(await screen.findByRole('row', { name: /The line is busy.*Fax.*2 – Feature not working as expected.*Open/ })).toBeInTheDocument();
});
