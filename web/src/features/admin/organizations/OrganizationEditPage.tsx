import '../admin.css';
import { ActionIcon, Button, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconAlertCircle, IconArrowLeft } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { ApiError } from '@/api/client';
import type { Organization } from '@/api/types';
import { reportError } from '@/shared/errors';
import { Form } from '@/shared/form/Form';
import { useServerForm } from '@/shared/form/useServerForm';
import { notify } from '@/shared/notify';
import { paths } from '@/shared/paths';
import { useShortcuts } from '@/shared/shortcuts';
import { useGo } from '@/shared/ui/AppLink';
import { Banner, ErrorState, NoticeList } from '@/shared/ui/blocks';
import { Chip } from '@/shared/ui/status';
import { useViewport } from '@/shared/useViewport';
import { fetchVersion, organizationQuery, saveOrganization } from './api';
import { ContactFields, DetailsFields } from './fields';
import { inputOf, invalidSummary, organizationChecks, type OrganizationValues, TABS, tabOf, valuesOf } from './rules';
import type { TabName } from './search';

const SAVE_FAILED = 'There was an error saving this organization.';
const FILL_REQUIRED = 'Please fill out all required fields.';
const CHANGED_MEANWHILE = 'Somebody else has changed this organization since you opened it. Load their version, or save yours over it.';

export function AddOrganizationPage({ tab }: { tab: TabName }) {
  return <Editor saved={null} tab={tab} onReload={() => {}} />;
}

/** Loads the organization first. */
export function OrganizationEditPage({ id, tab }: { id: string; tab: TabName }) {
  const query = useQuery(organizationQuery(id));
  // Raised to begin anew with what the server holds.
  const [round, setRound] = useState(0);
  if (query.error && !query.data)
    return <ErrorState title="The organization could not be loaded" error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data || (query.isFetching && !query.isFetchedAfterMount))
    return (
      <div className="adm-loading" role="status" aria-label="Loading">
        <div className="cp-bone" style={{ width: '30%' }} />
        <div className="cp-bone" style={{ width: '60%' }} />
      </div>
    );
  return (
    <Editor
      key={`${id}.${round}`}
      saved={query.data}
      tab={tab}
      onReload={() => {
        void query.refetch().then(() => setRound((r) => r + 1));
      }}
    />
  );
}

function Editor({ saved, tab, onReload }: { saved: Organization | null; tab: TabName; onReload: () => void }) {
  const go = useGo();
  const { isPhone } = useViewport();
  // What the change is based on; the person may decide to save over a newer one.
  const [version, setVersion] = useState(saved?.version);
  const [isStale, setStale] = useState(false);
  const [submitted, setSubmitted] = useState(false);
  const leave = () => go(paths.adminOrganizations());
  const goTab = (next: string | null) => {
    const to = next === 'contact' ? 'contact' : 'details';
    go(saved ? paths.adminOrganization(saved.id, to) : paths.adminOrganizationAdd(to), { replace: true });
  };

  const { form, busy, formErrors, onSubmit, forget } = useServerForm<OrganizationValues>({
    initialValues: saved ? valuesOf(saved) : { ...valuesOf({}), planId: '' },
    validate: organizationChecks,
    keepAs: `organization.${saved?.id ?? 'new'}`,
    submit: async (values) => {
      try {
        await saveOrganization(saved?.id, inputOf(values, version));
      } catch (error) {
        if (!(error instanceof ApiError) || error.isRefused || error.isRevoked) throw error;
        if (error.status === 409) return setStale(true);
        if (Object.keys(error.modelState).length === 0) return notify('error', SAVE_FAILED);
        setSubmitted(true);
        notify('error', FILL_REQUIRED);
        throw error;
      }
      notify('success', 'The organization was saved successfully.');
      leave();
    },
  });
  const invalid = submitted ? Object.keys(form.errors).filter((f) => form.errors[f]) : [];
  const countOn = (t: TabName) => invalid.filter((f) => tabOf(f) === t).length;

  const save = (e: FormEvent<HTMLFormElement>) => {
    e.preventDefault();
    setSubmitted(true);
    const { hasErrors, errors } = form.validate();
    if (hasErrors) {
      notify('error', FILL_REQUIRED);
      // The fields of the other tab are not there to be focused.
      const tabs = Object.keys(errors).map(tabOf);
      if (!tabs.includes(tab)) return goTab(tabs[0]!);
    }
    onSubmit(e);
  };
  const cancel = () => {
    forget();
    leave();
  };
  const saveOver = async () => {
    if (!saved) return;
    try {
      const latest = await fetchVersion(saved.id);
      setVersion(latest);
      setStale(false);
      notify('info', "Click 'Save Changes' once more to save your version.");
    } catch (error) {
      reportError(error);
    }
  };
  useShortcuts([{ keys: 'Escape', label: 'Back to Organizations', run: cancel }]);

  const title = saved ? saved.name : 'Add Organization';
  const buttons = (
    <>
      <Button variant="default" onClick={cancel}>
        Cancel
      </Button>
      <Button type="submit" form="organization" loading={busy}>
        Save Changes
      </Button>
    </>
  );
  return (
    <>
      <div className={isPhone ? 'm-top adm-head' : 'cp-head adm-head'}>
        <ActionIcon aria-label="Back to Organizations" size={isPhone ? 44 : 36} onClick={cancel}>
          <IconArrowLeft size={19} stroke={1.6} />
        </ActionIcon>
        <h1 className="cp-ell" title={title}>
          {title}
        </h1>
        {saved && !isPhone && (
          <>
            <Chip state={saved.activationStatus === 'Activated' ? 'Activated' : 'Not Activated'} />
            {!saved.isEnabled && <Chip state="Disabled" />}
          </>
        )}
        <div className="cp-grow" />
        {!isPhone && buttons}
      </div>
      <Tabs value={tab} onChange={goTab} keepMounted={false} className="adm-tabs">
        <Tabs.List aria-label={title}>
          {TABS.map((t) => (
            <Tabs.Tab
              key={t.value}
              value={t.value}
              rightSection={
                countOn(t.value) > 0 ? (
                  <span className="adm-flag cp-num" role="img" aria-label={`${countOn(t.value)} invalid`}>
                    <IconAlertCircle size={13} stroke={2.2} aria-hidden />
                    {countOn(t.value)}
                  </span>
                ) : undefined
              }
            >
              {t.label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <div className="cp-scroll adm-body">
          {isStale && (
            <div className="adm-notice">
              <Banner caption="This organization has changed.">
                {CHANGED_MEANWHILE}
                <div className="cp-row adm-stale">
                  <Button
                    size="xs"
                    variant="default"
                    onClick={() => {
                      forget();
                      onReload();
                    }}
                  >
                    Load their version
                  </Button>
                  <Button size="xs" variant="default" onClick={() => void saveOver()}>
                    Keep mine
                  </Button>
                </div>
              </Banner>
            </div>
          )}
          {invalid.length > 0 && (
            <div className="adm-notice">
              <Banner caption="There are invalid fields on this page.">{invalidSummary(invalid)}</Banner>
            </div>
          )}
          <NoticeList kind="error" messages={formErrors} />
          <Form id="organization" onSubmit={save}>
            <Tabs.Panel value="details">
              <DetailsFields form={form} saved={saved} />
            </Tabs.Panel>
            <Tabs.Panel value="contact">
              <ContactFields form={form} />
            </Tabs.Panel>
          </Form>
        </div>
      </Tabs>
      {isPhone && <div className="cp-foot adm-foot">{buttons}</div>}
    </>
  );
}
