import { createContext, useContext } from 'react';

type Shell = { openMenu: () => void };
export const ShellContext = createContext<Shell>({ openMenu: () => {} });
export const useShell = () => useContext(ShellContext);
