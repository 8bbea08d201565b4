import { createContext, type ReactNode, useContext } from 'react';

/** What the frame gives to the heads of pages on phones, which have no top bar. */
type Shell = { openMenu: () => void; bell?: ReactNode };
export const ShellContext = createContext<Shell>({ openMenu: () => {} });
export const useShell = () => useContext(ShellContext);
