import { Avatar, Popover, TextInput, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { IconCheck, IconSearch, IconSelector } from '@tabler/icons-react';
import { useState } from 'react';
import type { ProfileOrganization } from '@/api/types';
import { initials } from '@/shared/format';
import { isSystemAdmin } from '../access';
import { switchOrganization, useProfile } from '../session';

/** Organizations whose name contains the search words, ignoring case; sorted by name. */
export const matchingOrganizations = (all: ProfileOrganization[], search: string) =>
  [...all]
    .sort((a, b) => a.name.localeCompare(b.name, 'en', { sensitivity: 'base' }))
    .filter((o) => o.name.toLowerCase().includes(search.trim().toLowerCase()));

const Tile = ({ name }: { name: string }) => (
  <Avatar
    size={24}
    radius={6}
    aria-hidden
    styles={{ placeholder: { background: 'var(--cp-neutral-line)', color: 'var(--cp-text)', fontSize: 10 } }}
  >
    {initials(name)}
  </Avatar>
);

/** The organization a user works for; a list with a search box if there are several. */
export function OrgSwitcher({ onSwitched }: { onSwitched?: () => void }) {
  const profile = useProfile();
  const [opened, { close, toggle }] = useDisclosure();
  const [search, setSearch] = useState('');
  const change = useMutation({ mutationFn: switchOrganization, onSuccess: onSwitched });
  const everywhere = profile.isNetworkAdmin && !isSystemAdmin(profile) ? 'Network administration' : 'All organizations';
  const name = profile.organizationName ?? everywhere;
  if (profile.organizations.length < 2) {
    return (
      <span className="cp-org">
        {profile.organizationName && <Tile name={name} />}
        <span className="cp-ell">{name}</span>
      </span>
    );
  }
  const choose = (id: string) => {
    close();
    setSearch('');
    if (id !== profile.organizationId) change.mutate(id);
  };
  return (
    <Popover opened={opened} onChange={(o) => !o && close()} position="bottom-start" width={300} trapFocus>
      <Popover.Target>
        <UnstyledButton className="cp-org" onClick={toggle} aria-haspopup="dialog" aria-expanded={opened}>
          <span className="cp-hidden">Organization: </span>
          <Tile name={name} />
          <span className="cp-ell">{name}</span>
          <span className="cp-hidden">, switch</span>
          <IconSelector size={15} stroke={1.6} color="var(--cp-text-3)" aria-hidden />
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown aria-label="Switch organization">
        <TextInput
          data-autofocus
          aria-label="Search organizations"
          placeholder="Search organizations"
          leftSection={<IconSearch size={15} stroke={1.6} aria-hidden />}
          value={search}
          onChange={(e) => setSearch(e.currentTarget.value)}
        />
        <ul className="cp-orglist">
          {matchingOrganizations(profile.organizations, search).map((o) => (
            <li key={o.id}>
              <UnstyledButton
                className="cp-orgitem"
                aria-current={o.id === profile.organizationId || undefined}
                onClick={() => choose(o.id)}
              >
                <Tile name={o.name} />
                <span className="cp-grow cp-ell">{o.name}</span>
                {o.id === profile.organizationId && <IconCheck size={16} stroke={2} aria-hidden />}
              </UnstyledButton>
            </li>
          ))}
          {matchingOrganizations(profile.organizations, search).length === 0 && (
            <li className="cp-muted cp-orgnone">No organization matches.</li>
          )}
        </ul>
      </Popover.Dropdown>
    </Popover>
  );
}
