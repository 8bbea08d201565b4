import { useEffect } from 'react';

let product = '';
let screen = '';
const write = () => {
  document.title = [screen, product].filter(Boolean).join(' · ');
};

/** The name of the product, as the brand has it. */
export function nameProduct(name: string) {
  product = name;
  write();
}

/** Names the tab after the screen (WCAG 2.4.2). Never after a patient or a subject: browsers keep titles in their history. */
export function useTabTitle(title: string) {
  useEffect(() => {
    screen = title;
    write();
    return () => {
      screen = '';
      write();
    };
  }, [title]);
}
