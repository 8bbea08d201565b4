import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { redirect } from '@tanstack/react-router';
import { useSyncExternalStore } from 'react';
import { api, unwrap } from '@/api/client';
import type { Profile } from '@/api/types';
import { notify } from '@/shared/notify';
import { paths } from '@/shared/paths';
import { Dialog } from '@/shared/ui/Dialog';
import { isAdministrator, landingOf } from './access';
import { useProfile } from './session';

/** Functions that a plan may lack. */
export type PlanResource = 'releaseRoute' | 'send' | 'reply' | 'forward' | 'triage' | 'structuredExport';

/** The plan lacks this function; using it asks for an upgrade instead. */
export const isPlanRestricted = (profile: Pick<Profile, 'uiResources'>, resource: PlanResource) =>
  profile.uiResources?.[resource]?.includes('plan-upgrade-prompt') ?? false;

let opened = false;
const listeners = new Set<() => void>();
const set = (value: boolean) => {
  opened = value;
  for (const l of listeners) l();
};
const subscribe = (l: () => void) => {
  listeners.add(l);
  return () => listeners.delete(l);
};

/** Opens the upgrade dialog. */
export const askForUpgrade = () => set(true);

/**
 * For `beforeLoad`, after the guard: a restricted screen opens the dialog and stays closed, a cancelled one stays
 * closed without a word. On the first load there is no screen to stay on, so the person goes to their landing page.
 */
export function planGate(profile: Profile, resource: PlanResource, stayOn: string | undefined) {
  const asks = isPlanRestricted(profile, resource);
  if (!asks && !profile.uiResources?.[resource]?.includes('cancel')) return;
  if (asks) askForUpgrade();
  throw redirect({ href: stayOn ?? landingOf(profile), replace: true });
}

let shownHref: string | undefined;
/** Set by the router: the current screen. */
export const noteScreen = (href: string) => {
  shownHref = href;
};
/** The screen in view while another one loads; none on the first load, also after a sign-in. */
export const stayedOn = ({ location }: { location: { href: string } }) =>
  shownHref === location.href || shownHref?.startsWith(paths.login()) ? undefined : shownHref;

const texts = {
  Admin: {
    title: 'Upgrade your plan',
    lead: 'Your organization’s plan does not include this function.',
    more: 'Send a request and we will contact you about the plans that do: sending, replying, forwarding, triage and the export of clinical documents. Nothing changes and nothing is charged until you agree.',
  },
  User: {
    title: 'Request an upgrade',
    lead: 'Your organization’s plan does not include this function.',
    more: 'Only an administrator of your organization can change the plan. Send a request and your administrator will be told that you need it.',
  },
} as const;

/** Rendered once in the frame. */
export function UpgradeDialog() {
  const show = useSyncExternalStore(subscribe, () => opened);
  const profile = useProfile();
  const close = () => set(false);
  const request = useMutation({
    mutationFn: () => unwrap(api.POST('/api/subscriptionplans/upgraderequest')),
    // Without e-mail, the server says what happens to the request.
    onSuccess: ({ message }) => {
      close();
      notify('success', message);
    },
  });
  const { title, lead, more } = texts[isAdministrator(profile) ? 'Admin' : 'User'];
  return (
    <Dialog
      opened={show}
      onClose={close}
      title={title}
      size={480}
      footer={
        <>
          <div className="cp-grow" />
          <Button size="md" variant="default" onClick={close}>
            Not Now
          </Button>
          <Button size="md" data-autofocus loading={request.isPending} onClick={() => request.mutate()}>
            Send Request
          </Button>
        </>
      }
    >
      <p className="cp-subject">{lead}</p>
      <p className="cp-question">{more}</p>
    </Dialog>
  );
}
