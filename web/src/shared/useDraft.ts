import { useState } from 'react';

/** State that a person edits and that starts over whenever the given value changes. */
export function useDraft<T>(value: T): [T, (next: T) => void] {
  const [draft, setDraft] = useState(value);
  const [source, setSource] = useState(value);
  if (source !== value) {
    setSource(value);
    setDraft(value);
  }
  return [source === value ? draft : value, setDraft];
}
