import { act, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { renderApp } from '@/test/render';
import { DrawnPage, SmallPage } from './DrawnPage';

type Handlers = Record<'onLoadError' | 'onRenderError', (error: Error) => void> & { onRenderSuccess: (page: object) => void };
const library = vi.hoisted(() => ({ handlers: {} as Handlers, drawn: 0 }));
vi.mock('react-pdf', async () => {
  const { useEffect } = await vi.importActual<typeof import('react')>('react');
  return {
    Page: (handlers: Handlers) => {
      useEffect(() => {
        library.handlers = handlers;
      });
      useEffect(() => void library.drawn++, []);
      return <canvas />;
    },
  };
});
beforeEach(() => {
  library.drawn = 0;
});

const cleanup = vi.fn();
/** Reports that the page was drawn, with these objects on it. */
const drawnWith = (...objs: [string, unknown][]) => act(() => library.handlers.onRenderSuccess({ objs, cleanup }));
const open = () => renderApp(<DrawnPage pageNumber={1} instead={<button type="button">Download the file</button>} />);

test.each(['onLoadError', 'onRenderError'] as const)('a page that cannot be drawn (%s) says so, and is drawn once more', async (event) => {
  open();
  act(() => library.handlers[event](new Error('no')));
  expect(screen.getByRole('alert')).toHaveTextContent('This page could not be shown.');
  expect(screen.getByRole('button', { name: 'Download the file' })).toBeInTheDocument();
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(screen.queryByRole('alert')).toBeNull();
  expect(library.drawn).toBe(2);
});

test('a page with a picture that cannot be decoded says so, where it would be white without a word', async () => {
  open();
  drawnWith(['img_p0_1', { bitmap: {} }], ['font_1', null]);
  expect(screen.queryByRole('alert')).toBeNull();
  drawnWith(['img_p0_1', null]);
  expect(screen.getByRole('alert')).toHaveTextContent('This page could not be shown in full.');
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(cleanup).toHaveBeenCalledTimes(1);
  drawnWith(['img_p0_1', { bitmap: {} }]);
  expect(screen.queryByRole('alert')).toBeNull();
});

test('a small page that cannot be drawn says so', () => {
  renderApp(<SmallPage pageNumber={1} />);
  expect(screen.queryByText('Not shown')).toBeNull();
  act(() => library.handlers.onRenderError(new Error('no')));
  expect(screen.getByText('Not shown')).toBeInTheDocument();
});
