import { useQuery } from '@tanstack/react-query';
import { queryOf } from '@/api/query';
import type { ControlProps, Field } from '@/shared/form/fields';
import { ListMultiSelect } from '@/shared/form/inputs';
import { ChoicesFailed } from '@/shared/ui/blocks';

type Bound = { value: string[] | null; onChange: (ids: string[]) => void };

/** The offered licence types, and those chosen before. */
function LicenceTypesSelect({ value, ...props }: ControlProps & Bound) {
  const list = 'licencetypes';
  const types = useQuery(queryOf('get', '/api/admin/lists/{list}', { params: { path: { list }, query: { pageSize: 100 } } }));
  const offered = (types.data?.items ?? []).filter((type) => !type.isRetired || value?.includes(type.id));
  return (
    <>
      <ChoicesFailed of={[types]} />
      <ListMultiSelect
        {...props}
        data={offered.map(({ id, name }) => ({ value: id, label: name }))}
        value={types.data ? (value ?? offered.map(({ id }) => id)) : []}
      />
    </>
  );
}

/** The licence types of an application: all that are offered until somebody chooses. */
export const licenceTypesField: Field<string[] | null> = {
  label: 'Licence types',
  description: 'Licences for the application have one of these types.',
  initial: null,
  show: (ids) => (ids ? `${ids.length} chosen` : 'all'),
  control: (props, bound) => <LicenceTypesSelect {...props} {...(bound as Bound)} />,
};
