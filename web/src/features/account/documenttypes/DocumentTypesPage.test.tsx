import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { setToken } from '@/api/token';
import { answer } from '@/test/answers';
import { renderScreen } from '@/test/render';
import { DocumentTypesPage } from './DocumentTypesPage';

test('an administrator sees the document types of the system and those that are the organization’s own (MSG-R-372)', async () => {
  setToken({ accessToken: 't', expiresIn: 900 });
  const type = (id: string, name: string, isSystem: boolean) => ({ id, name, code: '', isSystem, version: 1 });
  answer('get', '/api/settings/documenttypes', {
    items: [type('1', 'Growth chart', false), type('2', 'Visit note', true)],
    totalCount: 2,
    totalIsCapped: false,
  } as never);
  renderScreen(<DocumentTypesPage />);
  await screen.findByText('Growth chart');
  const [, own, system] = screen.getAllByRole('row');
  expect(own).toHaveTextContent('Your organization');
  expect(system).toHaveTextContent('System');
  expect(screen.getByRole('button', { name: 'Create' })).toBeEnabled();
});
