import { useRouter } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, MouseEvent } from 'react';
import { ownSearch } from '../table/useListState';

type Props = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> & { href: string };

/** A link to a screen, with a path from `paths`. */
export function AppLink({ href, onClick, children, ...rest }: Props) {
  const { history } = useRouter();
  const follow = (e: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(e);
    if (e.defaultPrevented || e.button !== 0 || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey || rest.target) return;
    e.preventDefault();
    history.push(href);
  };
  return (
    <a href={href} onClick={follow} {...rest}>
      {children}
    </a>
  );
}

type GoOptions = { replace?: boolean /** Search words for a list that keeps them out of the URL. */; search?: string };

/** Goes to a path from `paths`. */
export function useGo() {
  const { history } = useRouter();
  return (href: string, { replace = false, search }: GoOptions = {}) => {
    const state = search === undefined ? undefined : ownSearch(search);
    if (replace) history.replace(href, state);
    else history.push(href, state);
  };
}
