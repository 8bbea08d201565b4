import { Button } from '@mantine/core';
import { api, unwrap } from '@/api/client';
import { queryOf } from '@/api/query';
import { queryClient } from '@/app/session';
import { type Field, Fields, useFieldForm } from '@/shared/form/fields';
import { Form } from '@/shared/form/Form';
import { changedFields, useConflict } from '@/shared/form/conflict';
import { Saved } from '@/shared/form/saved';
import { notify } from '@/shared/notify';
import { directAddressError, isDirectAddress } from '@/shared/rules/fields';
import { NoticeList } from '@/shared/ui/blocks';
import { AddressList } from './AddressList';

const ADDRESSES_MAX = 500;
const PATH = '/api/directaddresscache';

function addressesError(addresses: string[]): string | null {
  if (addresses.length > ADDRESSES_MAX) return 'At most 500 addresses can be saved.';
  const wrong = addresses.find((a) => !isDirectAddress(a));
  if (wrong !== undefined) return `${wrong}: ${directAddressError(wrong) ?? 'This address is not valid.'}`;
  const twice = addresses.find((a, at) => addresses.indexOf(a) !== at);
  return twice === undefined ? null : `${twice}: This value already exists.`;
}
const addressesField: Field<string[]> = {
  label: 'Direct addresses',
  description: 'Suggested to people of the organization when they write a message. You can paste several at once.',
  initial: [],
  check: addressesError,
  show: (addresses) => addresses.join(', ') || 'empty',
  control: (props, bound) => <AddressList {...props} {...(bound as Bound)} />,
};
const fields = { addresses: addressesField };
type Bound = { value: string[]; onChange: (addresses: string[]) => void; error?: string };

const addressesQuery = (organizationId: string) => ({
  ...queryOf('get', PATH, { params: { query: { organizationId } } }),
  staleTime: 0,
  refetchOnWindowFocus: false,
});

/** The saved Direct addresses of an organization, for an operator. */
export function SavedAddresses({ organizationId }: { organizationId: string }) {
  return (
    <Saved query={addressesQuery(organizationId)} failed="The saved addresses could not be loaded">
      {(saved, reload) => <Addresses organizationId={organizationId} saved={saved} onReload={reload} />}
    </Saved>
  );
}

type Kept = { addresses: string[]; version?: string | null };

function Addresses({ organizationId, saved, onReload }: { organizationId: string; saved: Kept; onReload: () => void }) {
  const query = addressesQuery(organizationId);
  const { save, banner } = useConflict<Kept>({
    saved,
    latest: () => queryClient.fetchQuery(query),
    what: 'list',
    changes: changedFields({ addresses: 'Direct addresses' }),
    button: 'Save',
    onLoad: onReload,
  });
  const { form, busy, formErrors, onSubmit } = useFieldForm({
    fields,
    initialValues: { addresses: saved.addresses },
    failed: 'The addresses could not be saved. Please try again.',
    submit: async ({ addresses }) => {
      const isSaved = await save(async (version) => {
        const now = await unwrap(api.PUT(PATH, { params: { query: { organizationId } }, body: { addresses, version } }));
        queryClient.setQueryData(query.queryKey, now);
        form.setInitialValues({ addresses: now.addresses });
        form.setValues({ addresses: now.addresses });
        return now;
      });
      if (isSaved) notify('success', 'Direct Address Cache has been saved successfully.');
      return isSaved;
    },
  });
  return (
    <Form onSubmit={onSubmit}>
      {banner}
      <NoticeList kind="error" messages={formErrors} />
      <div className="adm-form">
        <Fields of={fields} form={form} />
        <div>
          <Button type="submit" loading={busy} disabled={!form.isDirty()}>
            Save
          </Button>
        </div>
      </div>
    </Form>
  );
}
