import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { createMemoryHistory, createRootRoute, createRoute, createRouter, Outlet, RouterProvider } from '@tanstack/react-router';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { setToken } from '@/api/token';
import type { DocumentSource, Message, MessageInput, Profile, ReleaseType } from '@/api/types';
import { extensionsQuery, featuresQuery, profileQuery, queryClient } from '@/app/session';
import { DraftPage, ForwardPage, NewReleasePage, ReplyPage } from '@/features/release/compose/pages';
import { SentPage } from '@/features/release/view/SentPage';
import { AppLink } from '@/shared/ui/AppLink';
import { preferencesQuery } from '@/shared/usePreference';
import { answer, type AnswerOf } from './answers';
import { message, releaseType } from './fixtures';

/** The screens of Release, with their requests to the server. */

export const FROM = 'records@larkfield.direct.example';
export const SUMMIT = 'intake@summit.direct.example';
export const BRIDGET = { firstName: 'Bridget', lastName: 'Halloran', birthDate: '1979-07-02', gender: 'F', patientIds: [] };

const SOURCES: DocumentSource[] = [
  { id: 's1', fullAddress: FROM, type: 'DirectMessage', status: 1, displayName: 'Records' },
  { id: 's2', fullAddress: 'referrals@larkfield.direct.example', type: 'DirectMessage', status: 1, displayName: '' },
];
const TYPES: ReleaseType[] = [
  releaseType(),
  releaseType({ id: 't2', name: 'Cardiology referral', originAddressId: 's2', destinationAddress: 'office@trivalley.direct.example' }),
];

/** A release of the person that can be sent. */
export const ready = (over: Partial<Message> = {}): Message =>
  message({
    subject: 'Right knee',
    fromAddress: FROM,
    toAddresses: [SUMMIT],
    releaseTypeId: 't1',
    patient: BRIDGET,
    draftVersion: 1,
    ...over,
  });

type Known = {
  messages?: Message[];
  sources?: DocumentSource[];
  types?: ReleaseType[];
  roles?: string[];
  features?: string[];
  isActivated?: boolean;
};

/** Answers the screens' requests; returns the server's messages and the requests. */
export function releaseServer({
  messages = [],
  sources = SOURCES,
  types = TYPES,
  roles = ['Administrator'],
  features = [],
  isActivated = true,
}: Known = {}) {
  const kept = new Map(messages.map((m) => [m.id, m]));
  const keep = (id: string, input: MessageInput) => {
    const before = kept.get(id) ?? message({ id });
    const next = {
      ...before,
      ...(input as Partial<Message>),
      attachments: before.attachments,
      draftVersion: (before.draftVersion ?? 0) + 1,
    };
    kept.set(id, next);
    return next as AnswerOf<'put', '/api/messages'>;
  };
  queryClient.clear();
  setToken({ accessToken: 't', expiresIn: 900 });
  const profile = { userId: 'u', userName: 'dana', fullName: 'Dana Whitfield', organizationId: 'o', orgIsActivated: isActivated, roles };
  queryClient.setQueryData(profileQuery.queryKey, profile as Profile as never);
  queryClient.setQueryData(featuresQuery.queryKey, features);
  queryClient.setQueryData(extensionsQuery.queryKey, ['pdf', 'txt', 'xml'].map((extension) => ({ extension })) as never);
  queryClient.setQueryData(preferencesQuery.queryKey, { userPreferences: {} } as never);
  // Never answered: no connection is opened.
  answer('post', '/api/account/hubticket', () => new Promise(() => {}));
  answer('put', '/api/account/preferences/screens/{name}', null as never);
  answer('get', '/api/releasetypes', { releaseTypes: types } as never);
  answer('get', '/api/documentsources/release', { items: sources } as never);
  answer('get', '/api/settings/interoperability', { deliverySummaryEnableDownload: false } as never);
  answer('get', '/api/messages/classifications', { items: [] });
  answer('get', '/api/documenttypes', { items: [], totalCount: 0 } as never);
  answer('get', '/api/messages/{id}/signers', { items: [], documents: '', files: [], consent: '', signedPdfs: [] });
  answer('get', '/api/messages/{id}', ({ path }) => kept.get(path.id!) as never);
  return {
    kept,
    created: answer('put', '/api/messages', ({ body }) => keep('new', body)),
    saved: answer('put', '/api/messages/{id}', ({ path, body }) => keep(path.id!, body)),
    removed: answer('delete', '/api/messages/{id}', null as never),
    sent: answer('post', '/api/messages/{id}/send', ({ path }) => kept.get(path.id!) as never),
    asked: answer('post', '/api/contacts/_search', { items: [] } as never),
    checked: answer('post', '/api/directory/validate', ({ body }) => ({
      items: body.addresses.map((address) => ({ address, isValid: true, kind: 'DirectMessage' as const, isNew: false })),
    })),
  };
}

/** Opens an address of Release, with a list if it is to be the real one; `where` says where the person is by now. */
export function openRelease(address: string, list: React.ReactNode = <p>The list of releases</p>) {
  const root = createRootRoute({ component: () => <Outlet /> });
  const at = (path: string, component: () => React.ReactNode) => createRoute({ getParentRoute: () => root, path, component });
  const screens = [
    at('/release', () => list),
    at('/intake', () => <p>The Intake</p>),
    at('/intake/$id', () => <p>A received message</p>),
    at('/release/new', () => (
      <>
        <AppLink href="/intake">Intake</AppLink>
        <NewReleasePage referral={Boolean(router.state.location.search.referral)} />
      </>
    )),
    at('/release/$id', () => <SentPage id={idOf()} />),
    at('/release/draft/$id', () => <DraftPage key={idOf()} id={idOf()} returnUrl={router.state.location.search.returnUrl} />),
    at('/release/forward/draft/$id', () => <DraftPage key={idOf()} id={idOf()} />),
    at('/release/forward/$id', () => <ForwardPage id={idOf()} />),
    at('/release/reply/$id', () => <ReplyPage id={idOf()} />),
  ];
  const history = createMemoryHistory({ initialEntries: [address] });
  const router = createRouter({ routeTree: root.addChildren(screens), history }) as unknown as {
    state: { location: { pathname: string; href: string; search: { returnUrl?: string; referral?: boolean } } };
  };
  const idOf = () => router.state.location.pathname.split('/').pop()!;
  const { unmount } = render(
    <QueryClientProvider client={queryClient}>
      <MantineProvider env="test">
        <Notifications limit={1} autoClose={5000} />
        <RouterProvider router={router as never} />
      </MantineProvider>
    </QueryClientProvider>,
  );
  return { where: () => router.state.location.href, unmount };
}

export const click = (name: string) => userEvent.click(screen.getByRole('button', { name }));
/** A field of text; looked up by its label, which takes a fraction of the time that its role does. */
export const field = (name: string) =>
  screen.getByLabelText(new RegExp(`^${name}( \\*)?$`), { selector: 'textarea, input:not([type=radio], [type=hidden])' });
/** Once the form is there. */
export const form = () => screen.findByRole('button', { name: 'Review and send' });
export const errorLines = () => [...document.querySelectorAll('#release-errors li')].map((line) => line.textContent);
