/* A name that is too long overwrites the pointer behind it, and the program crashes later. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct account {
  char owner[16];
  long *balance;
};

static struct account *make_account(const char *owner, long amount) {
  struct account *account = malloc(sizeof *account);
  account->balance = malloc(sizeof *account->balance);
  *account->balance = amount;
  strcpy(account->owner, owner);
  return account;
}

static void rename_account(struct account *account, const char *first, const char *last) {
  sprintf(account->owner, "%s %s", first, last);
}

static void pay(struct account *from, struct account *to, long amount) {
  *from->balance -= amount;
  *to->balance += amount;
}

int main(void) {
  struct account *ada = make_account("ada", 100);
  struct account *bob = make_account("bob", 50);
  pay(ada, bob, 10);
  rename_account(bob, "Bartholomew", "Fortescue");
  pay(ada, bob, 20);
  printf("%s has %ld\n", bob->owner, *bob->balance);
  return 0;
}
