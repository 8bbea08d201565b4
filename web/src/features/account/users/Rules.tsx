import { Checkbox } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '@/api/client';
import { queryOf, refresh } from '@/api/query';
import { useProfile } from '@/app/session';
import { unseenLabel } from '@/shared/form/unseenLabel';
import { pathTo } from '@/shared/paths';
import { AppLink } from '@/shared/ui/AppLink';
import { ErrorState } from '@/shared/ui/blocks';
import { useChoice } from '@/shared/useChoice';
import { reportUserFailure } from './actions';

const everyRule = queryOf('get', '/api/settings/intakerules', { params: { query: { pageSize: 100 } } });

/** The intake rules that assign messages to a user. A choice is saved at once. */
export function Rules({ userId }: { userId: string }) {
  const { organizationId } = useProfile();
  const client = useQueryClient();
  const params = { path: { id: userId } };
  const rules = useQuery(everyRule);
  const own = useQuery(queryOf('get', '/api/users/{id}/rules', { params }));
  const chosen = (own.data?.items ?? []).map((rule) => rule.intakeRuleId);
  const save = useMutation({
    mutationFn: (ids: string[]) => {
      const body = ids.map((intakeRuleId) => ({ organizationId: organizationId ?? '', intakeRuleId }));
      return unwrap(api.PUT('/api/users/{id}/intakerules', { params, body }));
    },
    onSettled: () => refresh(client, '/api/users/{id}/rules', '/api/settings/intakerules'),
    onError: (error) => reportUserFailure(error, 'There was an error saving the intake rules'),
    meta: { ownErrors: true },
  });
  const { shown, choose } = useChoice(chosen, save);
  const failed = rules.error ?? own.error;
  if (failed)
    return (
      <ErrorState
        title="The intake rules could not be loaded"
        error={failed}
        onRetry={() => void Promise.all([rules.refetch(), own.refetch()])}
      />
    );
  if (!rules.data || !own.data) return <div className="cp-bone" style={{ width: '40%' }} />;
  if (rules.data.items.length === 0)
    return (
      <p className="cp-second">
        There are no intake rules yet.{' '}
        <AppLink className="cp-link" href={pathTo('/account/settings/intakerules', {})}>
          Create intake rule
        </AppLink>
      </p>
    );
  return (
    <Checkbox.Group value={shown} onChange={choose} {...unseenLabel('Intake rules')}>
      <div className="usr-sources">
        {rules.data.items.map((rule) => (
          <Checkbox key={rule.id} value={rule.id} label={rule.name} description={rule.isEnabled ? undefined : 'switched off'} />
        ))}
      </div>
    </Checkbox.Group>
  );
}
