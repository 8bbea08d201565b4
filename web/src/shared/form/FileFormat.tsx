import { Group, Radio, type RadioGroupProps } from '@mantine/core';

/** Whether a report comes as `csv` or as `pdf`. */
export const FileFormat = (props: Omit<RadioGroupProps, 'children'>) => (
  <Radio.Group label="File" {...props}>
    <Group mt="xs">
      <Radio value="csv" label="Table (CSV)" />
      <Radio value="pdf" label="Document to keep (PDF)" />
    </Group>
  </Radio.Group>
);
