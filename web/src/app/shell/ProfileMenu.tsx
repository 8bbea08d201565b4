import { type MantineColorScheme, Menu, UnstyledButton, useMantineColorScheme } from '@mantine/core';
import { IconCheck, IconDeviceDesktop, IconLogout, IconMoon, IconSun } from '@tabler/icons-react';
import { paths } from '@/shared/paths';
import { useGo } from '@/shared/ui/AppLink';
import { Who } from '@/shared/ui/status';
import { useProfile } from '../session';

const schemes: { value: MantineColorScheme; label: string; icon: typeof IconSun }[] = [
  { value: 'light', label: 'Light', icon: IconSun },
  { value: 'dark', label: 'Dark', icon: IconMoon },
  { value: 'auto', label: 'Like the system', icon: IconDeviceDesktop },
];

export function ProfileMenu() {
  const profile = useProfile();
  const go = useGo();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Menu width={230}>
      <Menu.Target>
        <UnstyledButton className="cp-me" aria-label={`Profile: ${profile.fullName}`}>
          <Who name={profile.fullName} size={28} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <span className="cp-strong cp-ell cp-block">{profile.fullName}</span>
          <span className="cp-ell cp-block">{profile.userName}</span>
        </Menu.Label>
        <Menu.Divider />
        <Menu.Label>Theme</Menu.Label>
        {schemes.map(({ value, label, icon: IconOf }) => (
          <Menu.Item
            key={value}
            role="menuitemradio"
            aria-checked={colorScheme === value}
            leftSection={<IconOf size={16} stroke={1.6} />}
            rightSection={colorScheme === value && <IconCheck size={15} stroke={2} />}
            onClick={() => setColorScheme(value)}
          >
            {label}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} stroke={1.6} />} onClick={() => go(paths.logout)}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
