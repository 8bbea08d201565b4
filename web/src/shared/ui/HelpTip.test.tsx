import { TextInput } from '@mantine/core';
import { act, fireEvent, render, screen } from '@testing-library/react';
import { MantineProvider } from '@mantine/core';
import { afterEach, expect, test, vi } from 'vitest';
import { theme } from '@/app/theme';
import { HELP } from '../help';
import { WithHelp } from './HelpTip';

afterEach(() => void vi.useRealTimers());

test.each(Object.values(HELP))(
  'a mark explains the word beside it after 400 ms, and is no part of its name: %s (MSG-S-078, MSG-R-005)',
  async (text) => {
    vi.useFakeTimers();
    render(
      <MantineProvider theme={theme} env="test">
        <WithHelp text={text}>
          <TextInput label="Reseller" />
        </WithHelp>
      </MantineProvider>,
    );
    expect(screen.getByRole('textbox', { name: 'Reseller' })).toBeInTheDocument();
    fireEvent.mouseEnter(screen.getByRole('button', { name: text }));
    await act(() => vi.advanceTimersByTimeAsync(390));
    expect(screen.queryByRole('tooltip')).toBeNull();
    await act(() => vi.advanceTimersByTimeAsync(20));
    expect(screen.getByRole('tooltip')).toHaveTextContent(text);
  },
);
