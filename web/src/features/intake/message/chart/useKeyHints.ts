import { useViewport } from '@/shared/useViewport';

/** Whether buttons of the form show their keys: in the drawer of a narrow screen, the keys of the page do not work. */
export const useKeyHints = () => !useViewport().isNarrow;
