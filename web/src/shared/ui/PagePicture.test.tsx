import { fireEvent, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, test } from 'vitest';
import { renderApp } from '@/test/render';
import { PagePicture } from './PagePicture';

function Page() {
  const [round, setRound] = useState(1);
  return (
    <PagePicture
      src={`blob:${round}`}
      alt="Page 1"
      onRetry={() => setRound((r) => r + 1)}
      instead={<button type="button">Download</button>}
    />
  );
}

test('a page that the browser cannot draw says so, and is fetched again', async () => {
  renderApp(<Page />);
  expect(screen.queryByRole('alert')).toBeNull();
  fireEvent.error(screen.getByRole('img', { name: 'Page 1' }));
  expect(screen.getByRole('alert')).toHaveTextContent('This page could not be shown.');
  expect(screen.queryByRole('img')).toBeNull();
  expect(screen.getByRole('button', { name: 'Download' })).toBeInTheDocument();
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(screen.getByRole('img', { name: 'Page 1' })).toHaveAttribute('src', 'blob:2');
  expect(screen.queryByRole('alert')).toBeNull();
});
