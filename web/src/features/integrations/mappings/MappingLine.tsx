import { Button, UnstyledButton } from '@mantine/core';
import { IconBulb } from '@tabler/icons-react';
import type { EhrMapping } from '@/api/types';
import { NO_USERS } from '@/domain/messaging/rules';
import { ListMultiSelect, ListSelect } from '@/shared/form/inputs';
import { Chip } from '@/shared/ui/status';
import type { Mappings } from './useMappings';

type Colleague = { id: string; name: string };

type Props = { item: EhrMapping; mappings: Mappings; colleagues: readonly Colleague[]; isLoading: boolean };

/** A person or group of the EHR, and who that is here. */
export function MappingLine({ item, mappings, colleagues, isLoading }: Props) {
  const { externalName, userName, isGone, suggestion } = item;
  const ids = mappings.idsOf(item);
  return (
    <li className="int-mapping" data-changed={mappings.isChanged(item) || undefined}>
      <div className="cp-grow">
        <span className="cp-strong cp-block">{externalName || 'Without a name'}</span>
        {userName && <span className="cp-second cp-num cp-block">{userName}</span>}
        {isGone && <Chip tone="warn">No longer in the EHR</Chip>}
      </div>
      <div className="int-who">
        {isGone ? (
          <Gone item={item} mappings={mappings} />
        ) : (
          <Picker item={item} mappings={mappings} colleagues={colleagues} isLoading={isLoading} />
        )}
        {suggestion && ids.length === 0 && (
          <Button
            size="xs"
            variant="light"
            leftSection={<IconBulb size={15} stroke={1.8} aria-hidden />}
            aria-label={`${suggestion.name}? Use for ${externalName}`}
            onClick={() => mappings.choose(item, [suggestion.id])}
          >
            {suggestion.name}?
          </Button>
        )}
      </div>
    </li>
  );
}

/** Those at work, and whoever is chosen. */
const choicesOf = (colleagues: readonly Colleague[], { users }: EhrMapping) =>
  [...colleagues, ...users.filter(({ id }) => !colleagues.some((known) => known.id === id))].map(({ id, name }) => ({
    value: id,
    label: name,
  }));

function Picker({ item, mappings, colleagues, isLoading }: Props) {
  const ids = mappings.idsOf(item);
  const common = {
    size: 'sm',
    'aria-label': `${item.externalName} here`,
    data: choicesOf(colleagues, item),
    nothingFoundMessage: isLoading ? 'Loading' : NO_USERS,
  };
  return item.kind === 'Person' ? (
    <ListSelect {...common} placeholder="Nobody" value={ids[0] ?? null} onChange={(id) => mappings.choose(item, id ? [id] : [])} />
  ) : (
    <ListMultiSelect
      {...common}
      placeholder={ids.length > 0 ? undefined : 'Nobody'}
      value={ids}
      onChange={(chosen) => mappings.choose(item, chosen)}
    />
  );
}

/** Nobody can be chosen any more, only removed. */
function Gone({ item, mappings }: Pick<Props, 'item' | 'mappings'>) {
  const isRemoved = mappings.isRemoved(item);
  const names = item.users.map(({ name }) => name).join(', ') || 'Somebody who no longer works here';
  return (
    <span className="cp-row int-gone">
      <span className="cp-grow">{isRemoved ? <s>{names}</s> : names}</span>
      <UnstyledButton
        className="cp-link"
        aria-label={`${isRemoved ? 'Keep' : 'Remove'} ${item.externalName}`}
        onClick={() => (isRemoved ? mappings.keep(item) : mappings.choose(item, []))}
      >
        {isRemoved ? 'Keep' : 'Remove'}
      </UnstyledButton>
    </span>
  );
}
