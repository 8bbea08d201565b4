import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, test } from 'vitest';
import { answer } from '@/test/answers';
import { renderScreen } from '@/test/render';
import { AddressInput } from './AddressInput';

function To() {
  const [value, set] = useState<string[]>([]);
  return (
    <>
      <AddressInput id="to" label="To" value={value} onChange={set} errors={new Map()} />
      <output>{value.join('|')}</output>
    </>
  );
}

test('lines that are pasted become a recipient each, fax numbers as their digits (MSG-S-077, MSG-R-344)', async () => {
  answer('post', '/api/contacts/_search', { items: [] } as never);
  renderScreen(<To />);
  await userEvent.click(await screen.findByRole('combobox', { name: 'To' }));
  await userEvent.paste('(740) 555-0110\n740.555.0111\nrecords@summit.direct.example');
  await waitFor(() => expect(screen.getByRole('status')).toHaveTextContent('7405550110|7405550111|records@summit.direct.example'));
});
