import { createContext, type ReactNode, useContext } from 'react';

/** Elements of the frame in page heads on phones, which have no top bar. */
type Shell = { openMenu: () => void; bell?: ReactNode };
export const ShellContext = createContext<Shell>({ openMenu: () => {} });
export const useShell = () => useContext(ShellContext);
