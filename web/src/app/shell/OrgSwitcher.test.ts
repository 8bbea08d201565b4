import { expect, test } from 'vitest';
import { matchingOrganizations } from './OrgSwitcher';

test('organizations are sorted by name ignoring case, and found by a part of it (MSG-R-127)', () => {
  const all = ['Summit', 'alder creek', 'Larkfield'].map((name) => ({ id: name, name }));
  expect(matchingOrganizations(all, '').map((o) => o.name)).toEqual(['alder creek', 'Larkfield', 'Summit']);
  expect(matchingOrganizations(all, ' CREEK').map((o) => o.name)).toEqual(['alder creek']);
});
