import { account } from './account';
import { auth } from './auth';
import { operator } from './console';
import { fax } from './fax';
import { hooks } from './hooks';
import { intake } from './intake';
import type { Entry, Route } from './kit';
import { lists } from './lists';
import { networks } from './networks';
import { patients } from './patients';
import { people } from './people';
import { release } from './release';
import { runScreens } from './runs';
import { triage } from './triage';

/** Every route of the route tree with everything that opens on it. */
export const screens: Record<Route, Entry> = {
  ...auth,
  ...account,
  ...intake,
  ...triage,
  ...release,
  ...fax,
  ...operator,
  ...networks,
  ...lists,
  ...patients,
  ...people,
  ...hooks,
  ...runScreens,
};
