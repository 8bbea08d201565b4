import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { renderApp } from '@/test/render';
import { AlsoRead, offersOf } from './AlsoRead';

const found = {
  lastName: 'Tenney',
  telephone: '5550100151',
  streetAddress1: '118 Millrace Lane',
  city: 'Larkfield',
  state: 'OH',
  postalCode: '43999',
  patientIds: [{ root: '', id: 'TVC-0048213' }],
};

test('what a document says besides is taken over by a click, its number only where the patient has none', async () => {
  const onTake = vi.fn();
  renderApp(<AlsoRead offers={offersOf(found, {})} onTake={onTake} />);
  expect(screen.getByText('118 Millrace Lane, Larkfield, OH 43999')).toBeVisible();
  expect(screen.getByText('TVC-0048213')).toBeVisible();
  await userEvent.click(screen.getByRole('button', { name: 'Take over telephone' }));
  expect(onTake).toHaveBeenCalledWith({ telephone: '5550100151' });
  await userEvent.click(screen.getByRole('button', { name: 'Take over number on the document' }));
  expect(onTake).toHaveBeenLastCalledWith({ patientId: 'TVC-0048213' });
  expect(offersOf(found, { patientId: 'LFM-1' }).map(({ label, taken }) => [label, Boolean(taken)])).toContainEqual([
    'Number on the document',
    false,
  ]);
});

test('what is there already is not offered', () => {
  const labels = (draft: object) => offersOf(found, draft).map((offer) => offer.label);
  expect(labels({ telephone: '5550100199', city: 'Larkfield', patientId: 'TVC-0048213' })).toEqual([]);
  expect(offersOf(undefined, {})).toEqual([]);
});
