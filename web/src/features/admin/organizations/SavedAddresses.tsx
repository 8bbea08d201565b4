import { Button } from '@mantine/core';
import { api, unwrap } from '@/api/client';
import { $api } from '@/api/query';
import { queryClient } from '@/app/session';
import { Fields, tagsField, useFieldForm } from '@/shared/form/fields';
import { Form } from '@/shared/form/Form';
import { Saved } from '@/shared/form/saved';
import { notify } from '@/shared/notify';
import { directAddressError, isDirectAddress } from '@/shared/rules/fields';
import { NoticeList } from '@/shared/ui/blocks';

const ADDRESSES_MAX = 500;
const PATH = '/api/directaddresscache';

function addressesError(addresses: string[]): string | null {
  if (addresses.length > ADDRESSES_MAX) return 'At most 500 addresses can be saved.';
  const wrong = addresses.find((a) => !isDirectAddress(a));
  return wrong === undefined ? null : `${wrong}: ${directAddressError(wrong) ?? 'This address is not valid.'}`;
}
const fields = {
  addresses: tagsField('Direct addresses', {
    description: 'What the people of the organization can choose from when they write a message. Paste several at once.',
    check: addressesError,
  }),
};

const addressesQuery = (organizationId: string) => ({
  ...$api.queryOptions('get', PATH, { params: { query: { organizationId } } }),
  staleTime: 0,
  refetchOnWindowFocus: false,
});

/** The Direct addresses that an organization keeps at hand, for an operator. */
export function SavedAddresses({ organizationId }: { organizationId: string }) {
  return (
    <Saved query={addressesQuery(organizationId)} failed="The saved addresses could not be loaded">
      {({ addresses }) => <Addresses organizationId={organizationId} addresses={addresses} />}
    </Saved>
  );
}

function Addresses({ organizationId, addresses }: { organizationId: string; addresses: string[] }) {
  const { form, busy, formErrors, onSubmit } = useFieldForm({
    fields,
    initialValues: { addresses },
    failed: 'The addresses could not be saved. Please try again.',
    submit: async (body) => {
      const saved = await unwrap(api.PUT(PATH, { params: { query: { organizationId } }, body }));
      queryClient.setQueryData(addressesQuery(organizationId).queryKey, saved);
      form.setInitialValues(saved);
      form.setValues(saved);
      notify('success', 'Direct Address Cache has been saved successfully.');
    },
  });
  return (
    <Form onSubmit={onSubmit}>
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
