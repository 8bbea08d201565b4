import type { FileRouteTypes } from '@/routeTree.gen';
import type { Profile } from '@/api/types';
import type { Icon } from '@/shared/ui/states';
import { type Access, refusal } from './access';
import { guard } from './session';
import { type PlanResource, planGate, stayedOn } from './upgrade';

/** The groups of the sidebar, from top to bottom. The first has no heading. */
export const NAV_GROUPS = ['Work', 'Administration', 'Networks', 'Operate', 'Tenants', 'Platform', 'Vocabulary'] as const;

type Nav = {
  group: (typeof NAV_GROUPS)[number];
  icon: Icon;
  /** Its place in the group, where areas share one. */
  order?: number;
  /** By default the title of the screen. */
  label?: string;
  /** Its target, if that depends on the user; undefined hides it. */
  href?: (profile: Profile) => string | undefined;
  /** Screens below this address belong to it too. */
  within?: (profile: Profile) => string;
  /** A hook for the number behind the label. */
  useCount?: () => number | undefined;
};

/** A screen behind sign-in. Its route, the sidebar and the guard follow from it; a route without one is refused. */
export type Screen = {
  route: FileRouteTypes['to'];
  title: string;
  /** Without it, everybody who is signed in may see it. */
  access?: Access;
  /** Functions that the organization's plan has to include. */
  plan?: PlanResource;
  nav?: Nav;
};

const NOBODY: Access = { roles: [] };
const withoutSlash = (path: string) => path.replace(/(.)\/$/, '$1');

export const screenOf = (screens: readonly Screen[], route: string) => screens.find((s) => s.route === withoutSlash(route));

type Arrival = { location: { href: string; search: object } };
// The router passes the matches too, but their type is made of all routes, so that a route's function cannot refer to it.
const routeOf = (arrival: object) => (arrival as { matches: readonly { fullPath: string }[] }).matches.at(-1)?.fullPath ?? '';

/** The `beforeLoad` of the frame: admits users as the screen's description says. */
export const guardOf = (screens: readonly Screen[]) => async (arrival: Arrival) => {
  const screen = screenOf(screens, routeOf(arrival));
  const session = await guard(screen ? screen.access : NOBODY)(arrival);
  if (screen?.plan) planGate(session.profile, screen.plan, stayedOn(arrival));
  return session;
};

export type NavItem = Pick<Nav, 'icon' | 'useCount'> & { label: string; href: string; within?: string };
export type NavGroup = { head?: string; items: NavItem[] };

/** The sidebar of a user: the screens they may see. */
export function navFor(screens: readonly Screen[], profile: Profile, features: ReadonlySet<string>): NavGroup[] {
  const items = screens.flatMap(({ route, title, access, nav }) => {
    const href = nav?.href ? nav.href(profile) : route;
    if (!nav || !href || refusal(access ?? {}, profile, features)) return [];
    return [{ ...nav, label: nav.label ?? title, href, within: nav.within?.(profile) }];
  });
  return NAV_GROUPS.map((group, i) => ({
    head: i === 0 ? undefined : group,
    items: items.filter((item) => item.group === group).sort((a, b) => (a.order ?? 0) - (b.order ?? 0)),
  })).filter((group) => group.items.length > 0);
}

export const isCurrent = (href: string, pathname: string) => pathname === href || pathname.startsWith(`${href}/`);
