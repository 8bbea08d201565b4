import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';

/**
 * Carepost theme. All colours live here; the sheets only refer to `--cp-*`.
 *
 * A brand replaces the ten `brand` steps (step 7 must reach 4.5:1 on white) and, with them,
 * brand (7), brand-hover (8), brand-text (7), focus (7), selected (0), selected-line (2), chart-1 (7);
 * in dark: brand (6), brand-hover (7), brand-text (3), focus (3), selected (mix of 9 into the sheet), chart-1 (4).
 * Neutrals and status colours never change with the brand.
 */

const brand: MantineColorsTuple = [
  '#ECF6F7',
  '#D3EAED',
  '#A6D5DA',
  '#6CC4CC',
  '#3FA3AD',
  '#1F8A95',
  '#127883',
  '#0B6570',
  '#08525B',
  '#053D44',
];
const gray: MantineColorsTuple = [
  '#F6F8F9',
  '#EFF2F3',
  '#E1E6E8',
  '#CBD3D7',
  '#A9B4BA',
  '#87949B',
  '#586770',
  '#44545D',
  '#2A3A42',
  '#16252C',
];
const dark: MantineColorsTuple = [
  '#E6EDF0',
  '#B4C1C7',
  '#93A2A9',
  '#6F828B',
  '#35464D',
  '#26343A',
  '#1B282E',
  '#141E22',
  '#0D1518',
  '#0A1113',
];
const red: MantineColorsTuple = [
  '#FCE9E7',
  '#F8D3D0',
  '#F0ACA6',
  '#FF9F97',
  '#DB5B52',
  '#C93A31',
  '#B3261E',
  '#B3261E',
  '#8F1C16',
  '#6B130E',
];

type Tokens = Record<string, string>;

const light: Tokens = {
  canvas: '#EFF2F3', // frame: sidebar and top bar
  sheet: '#FFFFFF', // the one surface that carries content
  sunken: '#F6F8F9', // table header, tool bars, read-only fields
  well: '#DFE5E7', // behind document pages
  hover: '#F3F6F7',
  press: '#E4E9EB',
  selected: '#E1F0F2',
  'selected-line': '#A6D5DA',
  line: '#E1E6E8', // hairlines between regions and rows
  'line-strong': '#CBD3D7', // outlines of secondary buttons, menus
  control: '#87949B', // outlines of inputs and boxes: 3:1
  text: '#16252C',
  'text-2': '#44545D',
  'text-3': '#586770', // the lightest text allowed: 5.2:1 on canvas
  brand: '#0B6570',
  'brand-hover': '#08525B',
  'brand-text': '#0B6570',
  'on-brand': '#FFFFFF',
  focus: '#0B6570',
  'info-fg': '#1B56A8',
  'info-bg': '#E8F0FB',
  'info-line': '#BBD2F2',
  'success-fg': '#1C6B3A',
  'success-bg': '#E3F3E8',
  'success-line': '#B2DCC0',
  'warn-fg': '#8A4B00',
  'warn-bg': '#FDF0DC',
  'warn-line': '#F0D2A0',
  'danger-fg': '#B3261E',
  'danger-bg': '#FCE9E7',
  'danger-line': '#F0ACA6',
  'violet-fg': '#6440A5',
  'violet-bg': '#F0EAFA',
  'violet-line': '#D3C3EF',
  'neutral-fg': '#44545D',
  'neutral-bg': '#ECF0F1',
  'neutral-line': '#CBD3D7',
  'chart-1': '#0B6570',
  'chart-2': '#5A86C9',
  'chart-3': '#C98B2B',
  'chart-4': '#C0453C',
  'chart-grid': '#E1E6E8',
  'shadow-sheet': '0 1px 2px rgb(16 34 42 / 5%)',
  'shadow-pop': '0 0 0 1px rgb(16 34 42 / 9%), 0 8px 24px -6px rgb(16 34 42 / 20%)',
  'shadow-modal': '0 0 0 1px rgb(16 34 42 / 8%), 0 24px 64px -12px rgb(16 34 42 / 38%)',
  'shadow-page': '0 0 0 1px rgb(16 34 42 / 8%), 0 2px 10px rgb(16 34 42 / 14%)',
};

const darkTokens: Tokens = {
  canvas: '#0D1518',
  sheet: '#141E22',
  sunken: '#18242A',
  well: '#0A1113',
  hover: '#1B282E',
  press: '#223038',
  selected: '#123238',
  'selected-line': '#1F5A63',
  line: '#26343A',
  'line-strong': '#35464D',
  control: '#6F828B',
  text: '#E6EDF0',
  'text-2': '#B4C1C7',
  'text-3': '#93A2A9',
  brand: '#127883',
  'brand-hover': '#0B6570',
  'brand-text': '#6CC4CC',
  'on-brand': '#FFFFFF',
  focus: '#6CC4CC',
  'info-fg': '#8FBBF5',
  'info-bg': '#172A44',
  'info-line': '#2B4A75',
  'success-fg': '#7FD19B',
  'success-bg': '#12301F',
  'success-line': '#24563A',
  'warn-fg': '#F2B866',
  'warn-bg': '#3A2810',
  'warn-line': '#654719',
  'danger-fg': '#FF9F97',
  'danger-bg': '#43191A',
  'danger-line': '#742D2C',
  'violet-fg': '#C3A8F5',
  'violet-bg': '#2B2145',
  'violet-line': '#4A3A75',
  'neutral-fg': '#B4C1C7',
  'neutral-bg': '#233038',
  'neutral-line': '#35464D',
  'chart-1': '#3FA3AD',
  'chart-2': '#7FA5E0',
  'chart-3': '#D9A34A',
  'chart-4': '#E0766E',
  'chart-grid': '#26343A',
  'shadow-sheet': 'none',
  'shadow-pop': '0 0 0 1px #35464D, 0 8px 24px -6px rgb(0 0 0 / 60%)',
  'shadow-modal': '0 0 0 1px #35464D, 0 24px 64px -12px rgb(0 0 0 / 75%)',
  'shadow-page': '0 0 0 1px rgb(0 0 0 / 40%), 0 2px 10px rgb(0 0 0 / 50%)',
};

const cp = (t: Tokens) => Object.fromEntries(Object.entries(t).map(([k, v]) => [`--cp-${k}`, v]));

/** Variables of Mantine's components, expressed in our tokens. */
const mantine = {
  '--mantine-color-body': 'var(--cp-sheet)',
  '--mantine-color-text': 'var(--cp-text)',
  '--mantine-color-dimmed': 'var(--cp-text-3)',
  '--mantine-color-placeholder': 'var(--cp-text-3)',
  '--mantine-color-anchor': 'var(--cp-brand-text)',
  '--mantine-color-error': 'var(--cp-danger-fg)',
  '--mantine-color-default': 'var(--cp-sheet)',
  '--mantine-color-default-hover': 'var(--cp-hover)',
  '--mantine-color-default-color': 'var(--cp-text)',
  '--mantine-color-default-border': 'var(--cp-line-strong)',
  '--mantine-color-brand-filled': 'var(--cp-brand)',
  '--mantine-color-brand-filled-hover': 'var(--cp-brand-hover)',
  '--mantine-color-brand-text': 'var(--cp-brand-text)',
  '--mantine-color-brand-light': 'var(--cp-selected)',
  '--mantine-color-brand-light-color': 'var(--cp-brand-text)',
  '--mantine-color-disabled': 'var(--cp-sunken)',
  '--mantine-color-disabled-color': 'var(--cp-text-3)',
  '--mantine-color-disabled-border': 'var(--cp-line)',
};

/** Tokens that a brand changes besides its ten steps. */
const brandLight = (c: MantineColorsTuple): Tokens => ({
  brand: c[7],
  'brand-hover': c[8],
  'brand-text': c[7],
  focus: c[7],
  selected: c[0],
  'selected-line': c[2],
  'chart-1': c[7],
});
const brandDark = (c: MantineColorsTuple): Tokens => ({
  brand: c[6],
  'brand-hover': c[7],
  'brand-text': c[3],
  focus: c[3],
  'chart-1': c[4],
  selected: `color-mix(in oklab, ${c[9]} 55%, ${darkTokens.sheet})`,
  'selected-line': `color-mix(in oklab, ${c[7]} 70%, ${darkTokens.sheet})`,
});

/** Ten steps of a brand, or null for the product's own palette. */
export const brandSteps = (colors: readonly string[] | null | undefined): MantineColorsTuple | null =>
  colors?.length === 10 && colors.some((c, i) => c.toUpperCase() !== brand[i]) ? (colors as unknown as MantineColorsTuple) : null;

export const cssVariablesFor =
  (steps: MantineColorsTuple | null): CSSVariablesResolver =>
  () => ({
    variables: {},
    light: { ...cp({ ...light, ...(steps && brandLight(steps)) }), ...mantine },
    dark: { ...cp({ ...darkTokens, ...(steps && brandDark(steps)) }), ...mantine },
  });

export const themeFor = (steps: MantineColorsTuple | null) => (steps ? { ...theme, colors: { ...theme.colors, brand: steps } } : theme);

export const theme = createTheme({
  primaryColor: 'brand',
  primaryShade: { light: 7, dark: 6 },
  colors: { brand, gray, dark, red },
  white: '#FFFFFF',
  black: '#16252C',
  fontFamily: "'Inter Variable', 'Segoe UI', system-ui, sans-serif",
  fontFamilyMonospace: "ui-monospace, 'SFMono-Regular', 'DejaVu Sans Mono', monospace",
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.25rem' },
  lineHeights: { xs: '1.333', sm: '1.385', md: '1.43', lg: '1.5', xl: '1.4' },
  fontWeights: { regular: '400', medium: '500', bold: '600' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '1.25rem', lineHeight: '1.4' }, // page title
      h2: { fontSize: '1rem', lineHeight: '1.5' }, // section, dialog title
      h3: { fontSize: '0.875rem', lineHeight: '1.43' }, // pane title
    },
  },
  spacing: { xs: '4px', sm: '8px', md: '12px', lg: '16px', xl: '24px' },
  radius: { xs: '4px', sm: '6px', md: '8px', lg: '10px', xl: '14px' },
  defaultRadius: 'sm',
  shadows: {
    xs: 'var(--cp-shadow-sheet)',
    sm: 'var(--cp-shadow-sheet)',
    md: 'var(--cp-shadow-pop)',
    lg: 'var(--cp-shadow-pop)',
    xl: 'var(--cp-shadow-modal)',
  },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // Plain objects, not X.extend(): extend() pulls the component into the entry chunk.
    Button: { defaultProps: { size: 'sm' } },
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray', size: 32 } },
    Table: { defaultProps: { horizontalSpacing: 'sm', verticalSpacing: 0, withRowBorders: true } },
    Menu: {
      defaultProps: {
        shadow: 'md',
        radius: 'md',
        withInitialFocusPlaceholder: false,
        position: 'bottom-end',
        transitionProps: { duration: 80 },
      },
    },
    Modal: {
      defaultProps: {
        size: 700,
        radius: 'lg',
        shadow: 'xl',
        yOffset: 64,
        closeButtonProps: { 'aria-label': 'Close' },
        overlayProps: { backgroundOpacity: 0.36, color: '#0D1B21' },
      },
    },
    Drawer: { defaultProps: { overlayProps: { backgroundOpacity: 0.36, color: '#0D1B21' } } },
    Tooltip: { defaultProps: { openDelay: 400, radius: 'xs' } },
    SegmentedControl: { defaultProps: { withItemsBorders: false, radius: 'sm' } },
    Select: { defaultProps: { checkIconPosition: 'right', withScrollArea: false } },
    Tabs: { defaultProps: { keepMounted: false } },
    Badge: { defaultProps: { radius: 'xs' } },
    Switch: { defaultProps: { size: 'xs' } },
    PasswordInput: { defaultProps: { visibilityToggleButtonProps: { tabIndex: 0, 'aria-label': 'Show or hide the password' } } },
    MultiSelect: { defaultProps: { withScrollArea: false } },
    TagsInput: { defaultProps: { withScrollArea: false } },
    Autocomplete: { defaultProps: { withScrollArea: false } },
    Checkbox: { defaultProps: { size: 'xs', radius: 'xs' } },
  },
});
