import { fireEvent, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { renderApp } from '@/test/render';
import { ListFooter } from './ListFooter';

test('a page that is typed is gone to 300 ms after the last digit (MSG-R-129)', () => {
  vi.useFakeTimers();
  try {
    const go = vi.fn();
    renderApp(<ListFooter page={1} size={10} count={10} total={250} onPage={go} noun="messages" />);
    const field = screen.getByRole('textbox', { name: /page/i });
    fireEvent.change(field, { target: { value: '1' } });
    vi.advanceTimersByTime(299);
    fireEvent.change(field, { target: { value: '12' } });
    vi.advanceTimersByTime(299);
    expect(go).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(go.mock.calls).toEqual([[12]]);
  } finally {
    vi.useRealTimers();
  }
});
