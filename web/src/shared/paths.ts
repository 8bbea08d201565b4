import type { FileRouteTypes } from '@/routeTree.gen';

type Query = Record<string, string | number | undefined>;
type Route = FileRouteTypes['to'];
type ParamsOf<R extends string> = R extends `${string}$${infer Name}/${infer Rest}`
  ? Record<Name, string> & ParamsOf<Rest>
  : R extends `${string}$${infer Name}`
    ? Record<Name, string>
    : Record<never, string>;

/** The address of a screen: an existing route with its parameters and search. */
export function pathTo<R extends Route>(route: R, params: ParamsOf<R>, query: Query = {}): string {
  const values: Record<string, string> = params;
  const path = route.replace(/\$(\w+)/g, (_, name: string) => encodeURIComponent(values[name]!));
  const q = new URLSearchParams();
  for (const [k, v] of Object.entries(query)) if (v !== undefined && v !== '') q.set(k, String(v));
  return q.size ? `${path}?${q}` : path;
}

/** Screens that several areas link to. */
export const paths = {
  root: '/',
  login: (connection?: string | null) => (connection ? pathTo('/account/login/$connection', { connection }) : pathTo('/account/login', {})),
  logout: pathTo('/account/logout', {}),
  /** After a sign-out; remembers the sign-in provider that was used. */
  signedOut: (connection?: string | null) => pathTo('/account/logout', {}, { ssoConnection: connection ?? undefined }),
  forgotPassword: pathTo('/account/forgot', {}),
  register: pathTo('/account/register', {}),
  profile: pathTo('/account/profile', {}),
  ssoSettings: pathTo('/account/settings/sso', {}),
  securitySettings: pathTo('/account/settings/security', {}),
  /** The log is at the address itself. */
  fax: (tab: 'log' | 'numbers' | 'settings' = 'log') => (tab === 'log' ? pathTo('/account/fax', {}) : pathTo(`/account/fax/${tab}`, {})),
  accountDashboard: pathTo('/account/dashboard', {}),
  accountPlan: pathTo('/account/settings/plan', {}),
  users: (query?: { status?: string }) => pathTo('/account/users', {}, query),
  user: (id: string) => pathTo('/account/users/$id', { id }),
  userAdd: pathTo('/account/users/add', {}),
  unauthorized: pathTo('/unauthorized', {}),
  accessDenied: pathTo('/access-denied', {}),
  authError: pathTo('/auth-error', {}),
  unsupportedBrowser: pathTo('/unsupportedbrowser', {}),
  demoMailbox: pathTo('/demo/mailbox', {}),
  print: (messageId: string, attachmentId: string) => pathTo('/print', {}, { job: `${messageId}.${attachmentId}` }),
  printTask: (id: string) => pathTo('/print', {}, { job: id }),
  printTerms: pathTo('/print', {}, { job: 'terms' }),
  intake: (query?: { view?: string }) => pathTo('/intake', {}, query),
  patients: pathTo('/patients', {}),
  patient: (id: string) => pathTo('/patients/$id', { id }),
  filedByRule: (query?: { view?: string }) => pathTo('/intake/filedbyrule', {}, query),
  intakeRules: pathTo('/account/settings/intakerules', {}),
  intakeMessage: (id: string) => pathTo('/intake/$id', { id }),
  signatures: pathTo('/signatures', {}),
  triage: pathTo('/triage', {}),
  triageBatch: (id: string) => pathTo('/triage/$id', { id }),
  release: (query?: { statuses?: string; view?: string }) => pathTo('/release', {}, query),
  releaseFailed: pathTo('/release/failed', {}),
  failedCharts: pathTo('/release/failed', {}, { view: 'charts' }),
  releaseNew: pathTo('/release/new', {}),
  referralNew: pathTo('/release/new', {}, { referral: 'true', returnUrl: '/referrals' }),
  releaseDraft: (id: string) => pathTo('/release/draft/$id', { id }),
  releaseMessage: (id: string) => pathTo('/release/$id', { id }),
  releaseForward: (id: string, returnUrl?: string) => pathTo('/release/forward/$id', { id }, { returnUrl }),
  releaseForwardDraft: (id: string, returnUrl?: string) => pathTo('/release/forward/draft/$id', { id }, { returnUrl }),
  releaseReply: (id: string, returnUrl?: string) => pathTo('/release/reply/$id', { id }, { returnUrl }),
  adminMessaging: pathTo('/admin/dashboard/messaging', {}),
  adminRuns: (query?: { status?: string; type?: string; channel?: string }) => pathTo('/admin/dashboard/messaging/workflows', {}, query),
  adminOrganizations: (query?: { search?: string }) => pathTo('/admin/organizations', {}, query),
  adminOrganization: (id: string, tab = 'details') => pathTo('/admin/organizations/$id/$tab', { id, tab }),
  adminOrganizationAdd: (tab = 'details') => pathTo('/admin/organizations/add/$tab', { tab }),
  adminSetup: pathTo('/admin/setup', {}),
  adminEmergencies: (tab: 'emergencies' | 'organizations' = 'emergencies') =>
    tab === 'emergencies' ? pathTo('/admin/emergencies', {}) : pathTo('/admin/emergencies/organizations', {}),
  adminTrust: (tab: 'bundles' | 'anchors' | 'own' = 'bundles') =>
    tab === 'bundles' ? pathTo('/admin/trust', {}) : pathTo(`/admin/trust/${tab}`, {}),
  adminImports: (tab: 'status' | 'organizations' = 'status', query?: { batch?: string }) =>
    tab === 'status' ? pathTo('/admin/batchimports', {}, query) : pathTo('/admin/batchimports/organizations', {}),
  adminGeneratedReports: pathTo('/admin/generatedreports', {}),
  adminUtilities: pathTo('/admin/utils', {}),
  adminRetry: pathTo('/admin/utils/workflowretry', {}),
  adminUsers: pathTo('/admin/users', {}),
  adminProofing: pathTo('/admin/proofing', {}),
  adminProofingOf: (id: string, organization?: string) => pathTo('/admin/proofing/$id', { id }, { organization }),
  adminNetworks: pathTo('/admin/networks', {}),
  network: (id: string, tab = 'details') => pathTo('/networks/$id/$tab', { id, tab }),
} as const;
