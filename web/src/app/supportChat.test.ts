import { expect, test } from 'vitest';
import { startSupportChat, stopSupportChat } from './supportChat';

const scripts = () => [...document.querySelectorAll('script')].map((s) => s.src);

test('without a workspace nothing is loaded (SES-R-312, SES-R-313)', () => {
  startSupportChat({ userId: 'one' });
  startSupportChat({ userId: 'one', intercomAppId: null });
  stopSupportChat();
  expect(scripts()).toEqual([]);
  expect(window.Intercom).toBeUndefined();
});

test('the chat starts once per user, identifies them without a name, and ends with the session (SES-S-072, SES-R-021)', () => {
  const person = {
    userId: 'one',
    intercomAppId: 'work space',
    intercomUserHash: 'hash',
    organizationId: 'org',
    organizationName: 'Larkfield',
  };
  startSupportChat(person);
  startSupportChat(person);
  stopSupportChat();
  stopSupportChat();
  startSupportChat({ ...person, userId: 'two' });
  startSupportChat({ ...person, userId: 'two', organizationId: 'elsewhere' });
  expect(scripts()).toEqual(['https://widget.intercom.io/widget/work%20space']);
  const settings = (user_id: string, id = 'org') => ({
    app_id: 'work space',
    user_id,
    user_hash: 'hash',
    company: { id, name: 'Larkfield' },
  });
  expect(window.Intercom?.q).toEqual([
    ['boot', settings('one')],
    ['shutdown'],
    ['boot', settings('two')],
    ['shutdown'],
    ['boot', settings('two', 'elsewhere')],
  ]);
});
