/** Every path to a screen is built here. */

const withQuery = (path: string, query: Record<string, string | number | undefined> = {}) => {
  const q = new URLSearchParams();
  for (const [k, v] of Object.entries(query)) if (v !== undefined && v !== '') q.set(k, String(v));
  return q.size ? `${path}?${q}` : path;
};

export const paths = {
  root: '/',
  login: (connection?: string | null) => (connection ? `/account/login/${encodeURIComponent(connection)}` : '/account/login'),
  logout: '/account/logout',
  /** After a sign-out; remembers the provider that the person came by. */
  signedOut: (connection?: string | null) => withQuery('/account/logout', { ssoConnection: connection ?? undefined }),
  forgotPassword: '/account/forgot',
  register: '/account/register',
  profile: '/account/profile',
  ssoSettings: '/account/settings/sso',
  securitySettings: '/account/settings/security',
  /** The log stands at the address itself. */
  fax: (tab = 'log') => (tab === 'log' ? '/account/fax' : `/account/fax/${tab}`),
  accountDashboard: '/account/dashboard',
  accountPlan: '/account/settings/plan',
  users: (query?: { status?: string }) => withQuery('/account/users', query),
  user: (id: string) => `/account/users/${id}`,
  userAdd: '/account/users/add',
  unauthorized: '/unauthorized',
  accessDenied: '/access-denied',
  authError: '/auth-error',
  callback: '/callback',
  unsupportedBrowser: '/unsupportedbrowser',
  demoMailbox: '/demo/mailbox',
  print: (messageId: string, attachmentId: string) => `/print?job=${messageId}.${attachmentId}`,
  printTerms: '/print?job=terms',
  intake: (query?: { view?: string }) => withQuery('/intake', query),
  intakeMessage: (id: string) => `/intake/${id}`,
  release: (query?: { statuses?: string; view?: string }) => withQuery('/release', query),
  releaseNew: '/release/new',
  releaseDraft: (id: string) => `/release/draft/${id}`,
  releaseMessage: (id: string) => `/release/${id}`,
  releaseForward: (id: string, returnUrl?: string) => withQuery(`/release/forward/${id}`, { returnUrl }),
  releaseForwardDraft: (id: string, returnUrl?: string) => withQuery(`/release/forward/draft/${id}`, { returnUrl }),
  releaseReply: (id: string, returnUrl?: string) => withQuery(`/release/reply/${id}`, { returnUrl }),
  admin: '/admin',
  adminMessaging: '/admin/dashboard/messaging',
  adminOrganizations: (query?: { search?: string }) => withQuery('/admin/organizations', query),
  adminOrganization: (id: string, tab = 'details') => `/admin/organizations/${id}/${tab}`,
  adminOrganizationAdd: (tab = 'details') => `/admin/organizations/add/${tab}`,
  adminFax: '/admin/fax',
  adminReports: '/admin/reports',
  adminNetworks: '/admin/networks',
  network: (id: string, tab = 'details') => `/networks/${id}/${tab}`,
} as const;
