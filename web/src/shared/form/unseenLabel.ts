/** Names a group of radio buttons or checkboxes for screen readers, where the page shows what it is about anyway. */
export const unseenLabel = (label: string) => ({ label, labelProps: { className: 'cp-hidden' } });
