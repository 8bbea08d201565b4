import { type MantineColorScheme, Menu, UnstyledButton, useMantineColorScheme } from '@mantine/core';
import { IconFileAnalytics, IconLogout, IconUser } from '@tabler/icons-react';
import { paths } from '@/shared/paths';
import { useGo } from '@/shared/ui/AppLink';
import { Who } from '@/shared/ui/status';
import { useHasRole, useProfile } from '../session';

const schemes: { value: MantineColorScheme; label: string }[] = [
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
  { value: 'auto', label: 'Match system' },
];

export function ProfileMenu({ onReport }: { onReport: () => void }) {
  const profile = useProfile();
  const hasMessages = useHasRole('Administrator,User');
  const go = useGo();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Menu width={230}>
      <Menu.Target>
        <UnstyledButton className="cp-me">
          <span className="cp-hidden">Profile: {profile.fullName}</span>
          <Who name={profile.fullName} size={28} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <span className="cp-strong cp-ell cp-block">{profile.fullName}</span>
          <span className="cp-ell cp-block">{profile.userName}</span>
        </Menu.Label>
        <Menu.Divider />
        <Menu.Item leftSection={<IconUser size={16} stroke={1.6} />} onClick={() => go(paths.profile)}>
          Profile
        </Menu.Item>
        {hasMessages && (
          <Menu.Item leftSection={<IconFileAnalytics size={16} stroke={1.6} />} onClick={onReport}>
            Activity report
          </Menu.Item>
        )}
        <Menu.Divider />
        <Menu.Label>Theme</Menu.Label>
        <Menu.RadioGroup value={colorScheme} onChange={(scheme) => setColorScheme(scheme as MantineColorScheme)}>
          {schemes.map(({ value, label }) => (
            <Menu.RadioItem key={value} value={value}>
              {label}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} stroke={1.6} />} onClick={() => go(paths.logout)}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
