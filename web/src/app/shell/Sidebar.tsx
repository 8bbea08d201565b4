import { Tooltip, UnstyledButton } from '@mantine/core';
import { useLocation } from '@tanstack/react-router';
import { IconUserSearch } from '@tabler/icons-react';
import { formatCount } from '@/shared/format';
import { AppLink } from '@/shared/ui/AppLink';
import { Mark } from '@/shared/ui/icons';
import { hasRole } from '../access';
import { useBranding } from '../branding';
import { isCurrent, type NavItem, navFor, type Screen } from '../screens';
import { useFeatures, useProfile } from '../session';

export function BrandMark({ rail = false, size = 24 }: { rail?: boolean; size?: number }) {
  const branding = useBranding();
  return (
    <>
      {branding.logo ? <img className="cp-logo" src={branding.logo} height={size} alt="" /> : <Mark size={size} />}
      {!rail && <span className="cp-ell">{branding.displayName}</span>}
    </>
  );
}

const useNoCount = () => undefined;

function Item({ item, rail, onGo }: { item: NavItem; rail: boolean; onGo?: () => void }) {
  // Always the same hook while the item exists.
  const useCount = item.useCount ?? useNoCount;
  const count = useCount();
  const pathname = useLocation({ select: (l) => l.pathname });
  const current = isCurrent(item.href, pathname) || (item.within !== undefined && isCurrent(item.within, pathname));
  const link = (
    <AppLink className="cp-nav-item" href={item.href} aria-current={current ? 'page' : undefined} onClick={onGo}>
      <item.icon size={18} stroke={1.6} aria-hidden />
      <span className={rail ? 'cp-hidden' : undefined}>{item.label}</span>
      {Boolean(count) &&
        (rail ? (
          !current && <span className="cp-dot" />
        ) : (
          <span className="cp-nav-count" title={`${count} unread`}>
            {formatCount(count ?? 0, (count ?? 0) >= 10_000)}
            <span className="cp-hidden"> unread</span>
          </span>
        ))}
    </AppLink>
  );
  return rail ? (
    <Tooltip label={item.label} position="right">
      {link}
    </Tooltip>
  ) : (
    link
  );
}

function FindProvider({ rail, onFind }: { rail: boolean; onFind: () => void }) {
  const button = (
    <UnstyledButton className="cp-nav-item" onClick={onFind}>
      <IconUserSearch size={18} stroke={1.6} aria-hidden />
      <span className={rail ? 'cp-hidden' : undefined}>Find Provider</span>
    </UnstyledButton>
  );
  return rail ? (
    <Tooltip label="Find Provider" position="right">
      {button}
    </Tooltip>
  ) : (
    button
  );
}

type Props = {
  screens: readonly Screen[];
  rail?: boolean;
  onGo?: () => void;
  /** Opens the directory. */
  onFind: () => void;
};

/** The areas a user may open; as a rail only their icons. */
export function Sidebar({ screens, rail = false, onGo, onFind }: Props) {
  const profile = useProfile();
  const features = useFeatures();
  const pathname = useLocation({ select: (l) => l.pathname });
  const isStaff = hasRole(profile, 'Administrator,User');
  return (
    <>
      <div className="cp-brandmark">
        <BrandMark rail={rail} />
        {!rail && isCurrent('/admin', pathname) && <span className="cp-console">Console</span>}
      </div>
      <nav className="cp-nav" aria-label="Main">
        {navFor(screens, profile, new Set(features)).map((group, i) => (
          <div key={group.head ?? i} className="cp-nav-group">
            {group.head && !rail && <div className="cp-nav-head">{group.head}</div>}
            {group.items.map((item) => (
              <Item key={item.href} item={item} rail={rail} onGo={onGo} />
            ))}
            {i === 0 && isStaff && <FindProvider rail={rail} onFind={onFind} />}
          </div>
        ))}
      </nav>
    </>
  );
}
