import { expect, test } from 'vitest';
import { linksIn } from './links';

test('the buttons of an e-mail can be opened, and nothing that leads elsewhere', () => {
  const text =
    'Hello Dana,\n\nSee https://care.example/a for more.\n\nSign in: https://care.example/account/login\nElsewhere: https://other.example/\n';
  expect(linksIn(text, 'https://care.example')).toEqual([{ label: 'Sign in', href: 'https://care.example/account/login' }]);
  expect(linksIn('Nothing: here', 'https://care.example')).toEqual([]);
});
