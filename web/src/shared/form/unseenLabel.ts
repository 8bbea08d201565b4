/** Names a group of radio buttons or checkboxes for screen readers, where the page already shows its topic. */
export const unseenLabel = (label: string) => ({ label, labelProps: { className: 'cp-hidden' } });
