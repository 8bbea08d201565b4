import { useQuery } from '@tanstack/react-query';
import { IconPalette, IconPrinter } from '@tabler/icons-react';
import { useState } from 'react';
import { api } from '@/api/client';
import { BrandForm, FaxCoverForm } from '@/api/limits.gen';
import { queryOf } from '@/api/query';
import type { BrandRow } from '@/api/types';
import { CrudPage } from '@/shared/crud/CrudPage';
import { EditDialog } from '@/shared/crud/EditDialog';
import { checkboxField, identifierField, tagsField, textField } from '@/shared/form/fields';
import { colorField, pictureField } from './fields';
import classes from './brands.module.css';
import { formatCount } from '@/shared/format';

const at = (id: string) => ({ params: { path: { id } } });

const fields = {
  displayName: textField('Name', { description: 'Shown at the top of every page and in e-mails.' }),
  name: identifierField('Short name', { description: 'Used in commands and reports, such as “harborline”.', half: true }),
  color: colorField('Colour', { description: 'Leave empty for the built-in palette.', half: true }),
  logo: pictureField('Logo', { description: 'PNG or JPEG, 512 KiB at most. Shown beside the name, 24 pixels high.' }),
  hosts: tagsField('Host names', {
    max: 20,
    description: 'The sign-in page shows this brand on these hosts. Their DNS and certificates must lead to this server.',
  }),
  hasOwnTerms: checkboxField('Own terms', {
    description: 'Organizations acknowledge the terms of this brand in place of those of the installation.',
  }),
  hideProviderInvitations: checkboxField('No invitations', {
    description: 'Its users cannot invite providers who are missing from the directory.',
  }),
};

const coverFields = {
  logo: pictureField('Logo', { description: 'PNG or JPEG, 512 KiB at most. Printed on top, in black and white.' }),
  notice: textField('Confidentiality notice', { rows: 6, description: 'Leave empty for the notice of the product.' }),
};

function FaxCoverDialog({ brand, onClose }: { brand: BrandRow; onClose: () => void }) {
  const operation = queryOf('get', '/api/brands/{id}/faxcover', at(brand.id));
  const { data, error, refetch } = useQuery({ ...operation, staleTime: 0, gcTime: 0 });
  return (
    <EditDialog
      key={data?.version}
      noun="fax cover"
      title="Fax cover"
      subject={brand.displayName}
      fields={coverFields}
      limits={FaxCoverForm}
      saved={data}
      waits={data ? undefined : { error, retry: () => void refetch() }}
      latest={async () => (await refetch({ throwOnError: true })).data!}
      save={({ logo, notice }, version) =>
        api.PUT('/api/brands/{id}/faxcover', { ...at(brand.id), body: { logo, notice, version: version! } })
      }
      done="The fax cover was saved."
      failed="The fax cover could not be saved. Please try again."
      onClose={onClose}
    />
  );
}

/** The brands of the installation: names, looks, host names and fax covers. */
export function BrandsPage() {
  const [covered, setCovered] = useState<BrandRow | null>(null);
  return (
    <>
      <CrudPage
        title="Brands"
        noun="brand"
        icon={IconPalette}
        list={({ search, page, size }) =>
          queryOf('get', '/api/brands', { params: { query: { search, pageNumber: page, pageSize: size } } })
        }
        columns={[
          {
            key: 'displayName',
            title: 'Name',
            primary: true,
            text: (b) => b.displayName,
            render: (b) => (
              <span className={classes.name}>
                <span className={classes.dot} style={{ '--dot': b.color || '#0B6570' } as React.CSSProperties} aria-hidden />
                <span className="cp-ell">{b.displayName}</span>
              </span>
            ),
          },
          { key: 'name', title: 'Short name', width: 160, text: (b) => b.name, drop: 2 },
          { key: 'hosts', title: 'Host names', width: 320, text: (b) => b.hosts.join(', ') || 'All others', drop: 1 },
          { key: 'organizations', title: 'Organizations', width: 140, text: (b) => formatCount(b.organizations) },
        ]}
        search="Search by short name"
        fields={fields}
        limits={BrandForm}
        read={(id) => queryOf('get', '/api/brands/{id}', at(id))}
        create={(body) => api.POST('/api/brands', { body })}
        save={(id, values, version) => api.PUT('/api/brands/{id}', { ...at(id), body: { ...values, version } })}
        remove={({ id }) => api.DELETE('/api/brands/{id}', at(id))}
        menu={(row) => [{ label: 'Fax cover', icon: IconPrinter, run: () => setCovered(row) }]}
        second={(b) => b.hosts.join(', ') || b.name}
        refreshes={['/api/admin/brands', '/api/branding']}
        words={{ deleteQuestion: 'Its host names will show the first brand. Are you sure?' }}
      />
      {covered && <FaxCoverDialog brand={covered} onClose={() => setCovered(null)} />}
    </>
  );
}
