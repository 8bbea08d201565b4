import { Button, TextInput } from '@mantine/core';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, test, vi } from 'vitest';
import { ApiError } from '@/api/client';
import { renderApp } from '@/test/render';
import { required } from '../rules/fields';
import { NoticeList } from '../ui/blocks';
import { Form } from './Form';
import { ListMultiSelect, TagInput } from './inputs';
import { useServerForm } from './useServerForm';

function Host({ submit }: { submit: (v: { name: string; address: { zip: string } }) => Promise<unknown> }) {
  const [, draw] = useState(0);
  const { form, busy, formErrors, onSubmit, forget } = useServerForm({
    initialValues: { name: '', address: { zip: '' } },
    validate: { name: required('Name is required.') },
    submit,
    keepAs: 'host',
  });
  return (
    <Form onSubmit={onSubmit}>
      <NoticeList kind="error" messages={formErrors} />
      <TextInput label="Name" {...form.getInputProps('name')} />
      <TextInput label="Zip" {...form.getInputProps('address.zip')} />
      <Button type="submit" loading={busy}>
        Save
      </Button>
      <Button onClick={forget}>Discard</Button>
      <Button onClick={() => draw((n) => n + 1)}>Draw again</Button>
    </Form>
  );
}
const field = (name: string) => screen.getByRole('textbox', { name });

test('nothing is sent while a field is wrong, and the first wrong field gets the focus', async () => {
  const submit = vi.fn();
  renderApp(<Host submit={submit} />);
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('Name is required.')).toBeInTheDocument();
  await vi.waitFor(() => expect(field('Name')).toHaveFocus());
  expect(submit).not.toHaveBeenCalled();
});

test('errors of the server appear under their fields, others above the form, and what was typed stays', async () => {
  const submit = vi.fn().mockRejectedValue(new ApiError(422, { modelState: { 'Address.Zip': ['Zip is required.'], plan: ['No plan.'] } }));
  renderApp(<Host submit={submit} />);
  await userEvent.type(field('Name'), 'Ann');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('Zip is required.')).toBeInTheDocument();
  expect(screen.getByText('No plan.')).toBeInTheDocument();
  expect(field('Name')).toHaveValue('Ann');
  await vi.waitFor(() => expect(field('Zip')).toHaveFocus());
});

test('an error from the server stays after blur, until the value changes', async () => {
  const submit = vi.fn().mockRejectedValueOnce(new ApiError(422, { modelState: { 'Address.Zip': ['Zip is required.'] } }));
  renderApp(<Host submit={submit} />);
  await userEvent.type(field('Name'), 'Ann');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('Zip is required.')).toBeInTheDocument();
  await vi.waitFor(() => expect(field('Zip')).toHaveFocus());
  await userEvent.click(field('Name'));
  expect(screen.getByText('Zip is required.')).toBeInTheDocument();
  await userEvent.type(field('Zip'), '4');
  expect(screen.queryByText('Zip is required.')).toBeNull();
});

test('Ctrl+Enter submits, and what was typed survives a reload until it is saved', async () => {
  const submit = vi.fn().mockResolvedValue(undefined);
  const first = renderApp(<Host submit={submit} />);
  await userEvent.type(field('Name'), 'Ann');
  first.unmount();
  renderApp(<Host submit={submit} />);
  expect(field('Name')).toHaveValue('Ann');
  await userEvent.type(field('Zip'), '43999{Control>}{Enter}{/Control}');
  await vi.waitFor(() => expect(submit).toHaveBeenCalledWith({ name: 'Ann', address: { zip: '43999' } }));
  await vi.waitFor(() => expect(sessionStorage.getItem('carepost.form.host')).toBeNull());
});

test('discarded values are not kept again, however often the form renders', async () => {
  renderApp(<Host submit={vi.fn()} />);
  await userEvent.type(field('Name'), 'Ann');
  await vi.waitFor(() => expect(sessionStorage.getItem('carepost.form.host')).not.toBeNull());
  await userEvent.click(screen.getByRole('button', { name: 'Discard' }));
  await userEvent.click(screen.getByRole('button', { name: 'Draw again' }));
  expect(sessionStorage.getItem('carepost.form.host')).toBeNull();
});

test('a failure without field texts becomes one toast', async () => {
  renderApp(<Host submit={() => Promise.reject(new ApiError(409, { message: 'Somebody else changed this.' }))} />);
  await userEvent.type(field('Name'), 'Ann');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('Somebody else changed this.')).toBeInTheDocument();
});

function Lists({ submit }: { submit: (v: { hosts: string[]; states: string[] }) => Promise<unknown> }) {
  const { form, onSubmit } = useServerForm({ initialValues: { hosts: [] as string[], states: [] as string[] }, submit });
  return (
    <>
      <Form id="lists" onSubmit={onSubmit}>
        <TagInput label="Hosts" {...form.getInputProps('hosts')} />
        <ListMultiSelect label="States" data={['Ohio', 'Texas']} {...form.getInputProps('states')} />
      </Form>
      {/* As in the footer of a dialog: the field keeps the focus. */}
      <Button type="submit" form="lists" onMouseDown={(e) => e.preventDefault()}>
        Save
      </Button>
    </>
  );
}

test('a tag that is still being typed is sent with the form', async () => {
  const submit = vi.fn().mockResolvedValue(undefined);
  renderApp(<Lists submit={submit} />);
  const hosts = screen.getByRole('combobox', { name: 'Hosts' });
  await userEvent.type(hosts, 'a.example,b.example');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await vi.waitFor(() => expect(submit).toHaveBeenCalledWith({ hosts: ['a.example', 'b.example'], states: [] }));
  expect(hosts).toHaveValue('');
  expect(hosts).toHaveFocus();
});

test('Enter in a field of several choices takes the first match and does not send the form', async () => {
  const submit = vi.fn().mockResolvedValue(undefined);
  renderApp(<Lists submit={submit} />);
  const states = screen.getByRole('combobox', { name: 'States' });
  await userEvent.type(states, 'tex{Enter}');
  expect(screen.getByText('Texas', { selector: '.mantine-Pill-label' })).toBeInTheDocument();
  await userEvent.type(states, 'zz{Enter}');
  expect(states).toHaveValue('zz');
  expect(submit).not.toHaveBeenCalled();
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await vi.waitFor(() => expect(submit).toHaveBeenCalledWith({ hosts: [], states: ['Texas'] }));
});
