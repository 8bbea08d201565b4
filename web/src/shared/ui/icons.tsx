type Props = { size?: number; stroke?: number; color?: string; 'aria-hidden'?: boolean };

/** The icon set has no fax; drawn on its 24 px grid. */
export const FaxIcon = ({ size = 24, stroke = 1.6, color = 'currentColor' }: Props) => (
  <svg
    width={size}
    height={size}
    viewBox="0 0 24 24"
    fill="none"
    stroke={color}
    strokeWidth={stroke}
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden
  >
    <rect x="3" y="9" width="4.5" height="11.5" rx="1.6" />
    <path d="M7.5 11H19a2 2 0 0 1 2 2v5.5a2 2 0 0 1-2 2H7.5" />
    <path d="M10.5 11V5a1.5 1.5 0 0 1 1.5-1.5h4L18.5 6v5" />
    <path d="M12 15.2h.01M15 15.2h.01M18 15.2h.01M12 18h.01M15 18h.01M18 18h.01" strokeWidth={stroke * 1.25} />
  </svg>
);

/** The product's mark, in the brand's colour. */
export const Mark = ({ size = 24 }: { size?: number }) => (
  <svg width={size} height={size} viewBox="0 0 24 24" aria-hidden>
    <rect width="24" height="24" rx="6.5" fill="var(--cp-brand)" />
    <path d="M6 8.2 12 13l6-4.8" fill="none" stroke="#fff" strokeWidth="1.9" strokeLinecap="round" strokeLinejoin="round" />
    <path
      d="M6 12.4V16a1.2 1.2 0 0 0 1.2 1.2h9.6A1.2 1.2 0 0 0 18 16v-3.6"
      fill="none"
      stroke="#fff"
      strokeWidth="1.9"
      strokeLinecap="round"
      opacity=".72"
    />
  </svg>
);
